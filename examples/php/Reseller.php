<?php

declare(strict_types=1);

/** The service refused the request. Only the simulator sends `case` and `reason`. */
class Refused extends RuntimeException
{
    public function __construct(
        string $message,
        public readonly int $status,
        public readonly ?string $case,
        public readonly ?string $reason,
    ) {
        parent::__construct($message);
    }
}

/** The IP list was updated too recently. */
final class Throttled extends Refused
{
    /** The UTC time (YYYY-MM-DD HH:MM:SS) when it may be updated again. */
    public function until(): string
    {
        return explode('Next update possible: ', $this->getMessage(), 2)[1] ?? '';
    }
}

/** There was no response, or none that can be read: the request may have been executed or not. */
final class NoResponse extends RuntimeException
{
}

/** A small client of the Proxy Reselling Service API: six of its operations, on curl alone. */
final class Reseller
{
    public function __construct(
        private readonly string $url,
        private readonly string $login,
        private readonly string $password,
    ) {
    }

    public function credit(): float
    {
        return (float) $this->call('GET', '/billing/credit')['credit'];
    }

    public function products(): array
    {
        return $this->call('GET', '/products');
    }

    public function services(): array
    {
        return $this->call('GET', '/services');
    }

    public function service(int $id): array
    {
        return $this->call('GET', "/service/$id");
    }

    /** @param array{setip?: string, update_list?: 'true', password?: string} $fields the password in base64 */
    public function update(int $id, array $fields): array
    {
        return $this->call('PUT', "/service/$id", $fields);
    }

    /**
     * Orders a product of `products()` and returns the id of the new service.
     *
     * The API has no idempotency key: an order that is sent twice is paid twice. So if there was no response, this
     * checks whether the order was executed before it orders again. (A slow service may still be executing it:
     * then wait before you check. If several programs order the same product at the same time, a new service may
     * belong to another program.)
     */
    public function order(int $clientId, array $product): int
    {
        $known = $this->idsOf($product);
        for ($attempt = 1; ; $attempt++) {
            try {
                return $this->call('POST', "/product/{$product['productId']}", ['clientid' => $clientId])['serviceId'];
            } catch (NoResponse $lost) {
                foreach ([0, 1] as $pause) { // the list may lag behind the order
                    sleep($pause);
                    $ordered = array_values(array_diff($this->idsOf($product), $known));
                    if ($ordered !== []) {
                        return $ordered[0];
                    }
                }
                if ($attempt === 3) {
                    throw $lost;
                }
            }
        }
    }

    private function idsOf(array $product): array
    {
        $same = array_filter($this->services(), fn ($service) => $service['product_name'] === $product['productName']);
        return array_column($same, 'service_id');
    }

    private function call(string $method, string $path, ?array $body = null): array
    {
        // A new handle for each request. If a reused connection breaks before the response, curl assumes that the
        // request never arrived, and silently sends it again: an order would be paid twice.
        $curl = curl_init("{$this->url}/api$path");
        $headers = [];
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => ['Accept: application/json', 'Content-Type: application/json'],
            CURLOPT_USERPWD => "{$this->login}:{$this->password}",
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 10,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$headers): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $headers[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ]);
        if ($body !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body, JSON_THROW_ON_ERROR));
        }
        $text = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($text === false || $status >= 500) {
            throw new NoResponse("$method $path: " . ($text === false ? curl_error($curl) : $status));
        }
        $response = json_decode($text, true);
        if ($status >= 400) {
            $kind = $status === 429 ? Throttled::class : Refused::class;
            $details = [$headers['sim-case'] ?? null, $headers['sim-reason'] ?? null];
            throw new $kind($response['error'] ?? $text, $status, ...$details);
        }
        if (!is_array($response)) {
            throw new NoResponse("$method $path: not valid JSON");
        }
        return $response;
    }
}
