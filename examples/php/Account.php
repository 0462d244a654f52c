<?php

declare(strict_types=1);

/** An account for each test, with its own credit, services, clock and faults, so tests can run in parallel. */
final class Account
{
    public readonly string $login;
    public readonly string $password;

    public function __construct(string $scenario)
    {
        ['login' => $this->login, 'password' => $this->password] =
            $this->admin('POST', '/accounts', ['scenario' => $scenario]);
    }

    /** `proxysim exec` sets PROXYSIM_URL; the default is the address of `proxysim`. */
    public static function url(): string
    {
        return getenv('PROXYSIM_URL') ?: 'http://127.0.0.1:4010';
    }

    /** Changes the account's state with a JSON Merge Patch. */
    public function patch(array $changes): void
    {
        $this->admin('PATCH', "/accounts/{$this->login}", $changes);
    }

    public function fault(string $operation, array $effect): void
    {
        $this->admin('POST', "/faults?account={$this->login}", ['operation' => $operation, 'times' => 1] + $effect);
    }

    public function setClock(string $now): void
    {
        $this->admin('PUT', "/clock?account={$this->login}", ['now' => $now]);
    }

    public function requests(string $operation): array
    {
        return $this->admin('GET', "/requests?account={$this->login}&operation=$operation")['requests'];
    }

    public function findings(): array
    {
        return array_column($this->admin('GET', "/findings?account={$this->login}"), 'finding');
    }

    public function delete(): void
    {
        $this->admin('DELETE', "/accounts/{$this->login}");
    }

    private function admin(string $method, string $path, ?array $body = null): ?array
    {
        $curl = curl_init(self::url() . "/__admin$path");
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => ['Content-Type: application/json'],
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 10,
        ]);
        if ($body !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body, JSON_THROW_ON_ERROR));
        }
        $text = curl_exec($curl);
        if ($text === false || curl_getinfo($curl, CURLINFO_RESPONSE_CODE) >= 400) {
            throw new RuntimeException("$method /__admin$path: " . ($text ?: curl_error($curl)));
        }
        return json_decode($text, true);
    }
}
