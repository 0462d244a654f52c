<?php

declare(strict_types=1);

// The module as it is often written. It works until something goes wrong: README.md says what `proxysim` finds.

function naive_CreateAccount(array $params): string
{
    $order = fn () => naive_call($params, 'POST', "/product/{$params['configoption1']}", [
        'clientid' => (int) $params['configoption2'],
    ]);
    $placed = $order() ?? $order(); // the network is unreliable, so try again
    if (!isset($placed['serviceId'])) {
        return 'The order failed.';
    }
    $params['model']->serviceProperties->save(['Proxy service' => $placed['serviceId']]);
    return 'success';
}

function naive_ChangePassword(array $params): string
{
    $id = $params['model']->serviceProperties->get('Proxy service');
    $encoded = base64_encode($params['password']);
    naive_call($params, 'PUT', "/service/$id", ['password' => base64_encode($encoded)]);
    return 'success';
}

function naive_call(array $params, string $method, string $path, array $body): ?array
{
    $curl = curl_init("http://{$params['serverhostname']}:{$params['serverport']}/api$path");
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => ['Accept: application/json', 'Content-Type: application/json'],
        CURLOPT_USERPWD => "{$params['serverusername']}:{$params['serverpassword']}",
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_POSTFIELDS => json_encode($body),
    ]);
    return json_decode((string) curl_exec($curl), true);
}
