<?php

declare(strict_types=1);

// A provisioning module for WHMCS: modules/servers/proxyreseller/proxyreseller.php. Server settings: hostname, port, SSL,
// and the reseller's login and password. Every function returns 'success', or a message that tells the admin what went wrong.

use WHMCS\Service\Service;

/** The service refused the request: nothing was changed. */
final class ProxyResellerRefused extends RuntimeException
{
}

/** There was no response, or none that can be read: the request may have been executed or not. */
final class ProxyResellerNoResponse extends RuntimeException
{
}

function proxyreseller_MetaData(): array
{
    return ['DisplayName' => 'Proxy Reselling Service', 'APIVersion' => '1.1', 'RequiresServer' => true];
}

function proxyreseller_ConfigOptions(): array
{
    return [
        'Product ID' => ['Type' => 'text', 'Size' => 10, 'Description' => 'of GET /api/products'],
        'Client ID' => ['Type' => 'text', 'Size' => 10, 'Description' => 'of GET /api/clients'],
    ];
}

function proxyreseller_TestConnection(array $params): array
{
    try {
        proxyreseller_call($params, 'GET', '/billing/credit');
        return ['success' => true, 'error' => ''];
    } catch (RuntimeException $error) {
        return ['success' => false, 'error' => $error->getMessage()];
    }
}

/**
 * Orders once, however often WHMCS calls it. The API has no idempotency key, and WHMCS repeats a failed call (in its module
 * queue, or because an admin clicks again), even if the order was executed and only the response was lost. So this saves
 * the list of services before it orders, and a later call first looks for a new service.
 */
function proxyreseller_CreateAccount(array $params): string
{
    return proxyreseller_attempt(function () use ($params): void {
        $properties = $params['model']->serviceProperties;
        $id = (int) $properties->get('Proxy service') ?: proxyreseller_lostOrder($params);
        if (!$id) {
            $known = array_column(proxyreseller_call($params, 'GET', '/services'), 'service_id');
            $properties->save(['Known services' => json_encode($known)]);
            try {
                $order = proxyreseller_call($params, 'POST', "/product/{$params['configoption1']}", [
                    'clientid' => (int) $params['configoption2'],
                ]);
                $id = proxyreseller_field($order, 'serviceId');
            } catch (ProxyResellerNoResponse $lost) {
                $id = proxyreseller_lostOrder($params) ?? throw $lost;
            }
        }
        $properties->save(['Proxy service' => $id]);
        $service = proxyreseller_call($params, 'GET', "/service/$id");
        $properties->save([
            'username' => proxyreseller_field($service, 'username'),
            'password' => proxyreseller_field($service, 'password'),
        ]);
    });
}

/** The service of an order whose response was lost, if any: a new service of this product that belongs to no other order. */
function proxyreseller_lostOrder(array $params): ?int
{
    $known = $params['model']->serviceProperties->get('Known services');
    if (!$known) {
        return null;
    }
    $names = array_column(proxyreseller_call($params, 'GET', '/products'), 'productName', 'productId');
    $product = $names[(int) $params['configoption1']] ?? null;
    $taken = array_map(
        fn (Service $service) => (int) $service->serviceProperties->get('Proxy service'),
        [...Service::where('server', $params['serverid'])->get()],
    );
    foreach (proxyreseller_call($params, 'GET', '/services') as $service) {
        $id = $service['service_id'];
        if ($service['product_name'] === $product && !in_array($id, [...json_decode($known), ...$taken], true)) {
            return $id;
        }
    }
    return null;
}

/** The API can't suspend a service: a random password locks the customer out until the service is unsuspended. */
function proxyreseller_SuspendAccount(array $params): string
{
    return proxyreseller_setPassword($params, bin2hex(random_bytes(12)));
}

function proxyreseller_UnsuspendAccount(array $params): string
{
    return proxyreseller_setPassword($params, $params['password']);
}

function proxyreseller_ChangePassword(array $params): string
{
    return proxyreseller_setPassword($params, $params['password']);
}

function proxyreseller_setPassword(array $params, string $password): string
{
    return proxyreseller_attempt(function () use ($params, $password): void {
        $id = (int) $params['model']->serviceProperties->get('Proxy service');
        // The only place that encodes the password
        proxyreseller_call($params, 'PUT', "/service/$id", ['password' => base64_encode($password)]);
    });
}

/** Runs daily for all services of a server: saves the traffic of rotating proxies, in MB. */
function proxyreseller_UsageUpdate(array $params): string
{
    return proxyreseller_attempt(function () use ($params): void {
        foreach (Service::where('server', $params['serverid'])->get() as $service) {
            $id = (int) $service->serviceProperties->get('Proxy service');
            if (!$id || proxyreseller_call($params, 'GET', "/service/$id")['product_type'] !== 'ppr') {
                continue;
            }
            $service->bwusage = array_sum(array_column(proxyreseller_call($params, 'GET', "/stats/$id"), 'rate'));
            $service->bwlimit = proxyreseller_call($params, 'GET', "/rate/$id")[0]['limit'] ?? 0;
            $service->save();
        }
    });
}

function proxyreseller_attempt(callable $work): string
{
    try {
        $work();
        return 'success';
    } catch (RuntimeException $error) {
        return $error->getMessage();
    }
}

function proxyreseller_call(array $params, string $method, string $path, ?array $body = null): array
{
    $scheme = $params['serversecure'] ? 'https' : 'http';
    // A new handle for each request: if a reused connection breaks, curl silently sends the request again.
    $curl = curl_init("$scheme://{$params['serverhostname']}:{$params['serverport']}/api$path");
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => ['Accept: application/json', 'Content-Type: application/json'],
        CURLOPT_USERPWD => "{$params['serverusername']}:{$params['serverpassword']}",
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_CONNECTTIMEOUT => 5,
        CURLOPT_TIMEOUT => 20,
    ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => json_encode($body)]));
    $text = curl_exec($curl);
    $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    $response = json_decode((string) $text, true);
    $secrets = [$params['serverpassword'], $params['password'] ?? '', $body['password'] ?? '', ...proxyreseller_passwordsIn($response)];
    // In plain text, and as JSON writes them
    $secrets = array_filter([...$secrets, ...array_map(fn ($secret) => substr(json_encode($secret), 1, -1), $secrets)]);
    logModuleCall('proxyreseller', "$method $path", $body, $text === false ? curl_error($curl) : $text, '', $secrets);
    if ($text === false || $status >= 500) {
        throw new ProxyResellerNoResponse("$method $path: " . ($text === false ? curl_error($curl) : "status $status"));
    }
    if ($status >= 400) {
        throw new ProxyResellerRefused(trim($response['error'] ?? $text) . " ($status)");
    }
    if (!is_array($response) || isset($response['error'])) {
        throw new ProxyResellerNoResponse("$method $path: not a response of the API: $text");
    }
    return $response;
}

/** A field of a response. One that lacks it didn't come from the API, so the call may or may not have been executed. */
function proxyreseller_field(array $response, string $name): mixed
{
    return $response[$name] ?? throw new ProxyResellerNoResponse("The response has no $name.");
}

/** The passwords in a response, which must not be logged either. */
function proxyreseller_passwordsIn(mixed $response): array
{
    $found = [];
    foreach (is_array($response) ? $response : [] as $name => $value) {
        $found[] = $name === 'password' && is_string($value) ? [$value] : proxyreseller_passwordsIn($value);
    }
    return array_merge(...$found);
}
