<?php

declare(strict_types=1);

// Orders one proxy: the program that `proxysim sweep` runs once per failure.
require_once __DIR__ . '/Reseller.php';

$api = new Reseller(getenv('PROXYSIM_URL'), getenv('PROXYSIM_LOGIN'), getenv('PROXYSIM_PASSWORD'));
[$product] = array_values(array_filter($api->products(), fn ($product) => $product['productId'] === 101));
echo 'Service ', $api->order(11, $product), "\n";
