<?php

// Sends the requests that test/languages/retries.test.ts plans, with libraries for PHP.

use GuzzleHttp\Client;
use Illuminate\Http\Client\Factory;

require 'GuzzleHttp/autoload.php';
require 'Illuminate/Http/autoload.php';

foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$connection, $credentials, $method, $path, $library] = explode(' ', $line);
    $headers = [
        'Authorization' => "Basic $credentials",
        'Accept' => 'application/json',
        'Content-Type' => 'application/json',
    ];
    $client = $library === 'Guzzle' ? new Client() : new Factory();
    $send = fn (string $method, string $path, array $options = []) => match ($library) {
        'Guzzle' => $client->request($method, $argv[1] . $path, ['headers' => $headers] + $options),
        'Laravel' => $client->withHeaders($headers)->send($method, $argv[1] . $path, $options),
        'Http::retry(3)' => $client->withHeaders($headers)->retry(3)->send($method, $argv[1] . $path, $options),
    };
    if ($connection === 'reused') {
        $send('GET', '/api/billing/credit');
    }
    try {
        $send($method, $path, $method === 'POST' ? ['body' => '{"clientid": 11}'] : []);
    } catch (RuntimeException | Illuminate\Http\Client\HttpClientException) {
    }
}
