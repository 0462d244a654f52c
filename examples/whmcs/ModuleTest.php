<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;
use WHMCS\Service\Service;

require_once __DIR__ . '/whmcs.php';
require_once __DIR__ . '/proxyreseller.php';

final class ModuleTest extends TestCase
{
    private array $account;
    private array $params;

    protected function setUp(): void
    {
        Service::$all = [];
        $this->account = $this->admin('POST', '/accounts', ['scenario' => 'default']);
        $this->params = moduleParams($this->url(), $this->account['login'], $this->account['password']);
    }

    protected function tearDown(): void
    {
        $this->admin('DELETE', "/accounts/{$this->account['login']}");
    }

    public function testTheConnectionIsTested(): void
    {
        self::assertTrue(proxyreseller_TestConnection($this->params)['success']);
        $wrong = proxyreseller_TestConnection(['serverpassword' => 'wrong'] + $this->params);
        self::assertSame('Unauthenticated (401)', $wrong['error']);
    }

    public function testAnOrderIsSavedWithItsCredentials(): void
    {
        self::assertSame('success', proxyreseller_CreateAccount($this->params));
        $service = $this->service();
        self::assertSame('Static 10', $service['product_name']);
        self::assertSame($service['username'], $this->property('username'));
        self::assertSame('success', proxyreseller_CreateAccount($this->params));
        self::assertSame(1, $this->orders(), 'a second call must not order again');
    }

    public function testTheAdminReadsWhatTheServiceSaid(): void
    {
        $this->admin('PATCH', "/accounts/{$this->account['login']}", ['credit' => 1]);
        $said = 'Unprocessed entity or not enough funds to order (422)';
        self::assertSame($said, proxyreseller_CreateAccount($this->params));
    }

    public function testAnOrderWhoseResponseIsLostIsFound(): void
    {
        $this->fault(['operation' => 'orderService', 'phase' => 'after', 'drop' => 'reset']);
        self::assertSame('success', proxyreseller_CreateAccount($this->params));
        self::assertSame(1, $this->orders());
    }

    public function testAnOrderWhoseResponseIsLostIsFoundByTheNextCall(): void
    {
        $this->fault(['operation' => 'orderService', 'phase' => 'after', 'drop' => 'reset']);
        $this->fault(['operation' => 'listProducts', 'respond' => ['status' => 503]]);
        self::assertStringContainsString('status 503', proxyreseller_CreateAccount($this->params));
        self::assertSame('success', proxyreseller_CreateAccount($this->params));
        self::assertSame(1, $this->orders());
    }

    public function testAnOrderThatNeverArrivedIsPlacedByTheNextCall(): void
    {
        $this->fault(['operation' => 'orderService', 'drop' => 'reset']);
        self::assertNotSame('success', proxyreseller_CreateAccount($this->params));
        self::assertSame('success', proxyreseller_CreateAccount($this->params));
        self::assertSame('Static 10', $this->service()['product_name']);
    }

    public function testAPasswordIsEncodedOnce(): void
    {
        proxyreseller_CreateAccount($this->params);
        self::assertSame('success', proxyreseller_ChangePassword($this->params));
        self::assertSame('a customer chose this', $this->service()['password']);
        self::assertSame([], $this->admin('GET', "/findings?account={$this->account['login']}"));
    }

    public function testNoPasswordIsLogged(): void
    {
        $GLOBALS['moduleLog'] = [];
        proxyreseller_CreateAccount($this->params);
        proxyreseller_ChangePassword($this->params);
        $log = implode('', $GLOBALS['moduleLog']);
        self::assertStringContainsString('"password":"…"', $log);
        foreach ([$this->property('password'), 'a customer chose this', $this->account['password']] as $secret) {
            self::assertStringNotContainsString($secret, $log);
            self::assertStringNotContainsString(base64_encode($secret), $log);
        }
    }

    public function testASuspendedCustomerIsLockedOut(): void
    {
        proxyreseller_CreateAccount($this->params);
        self::assertSame('success', proxyreseller_SuspendAccount($this->params));
        self::assertNotSame('a customer chose this', $this->service()['password']);
        self::assertSame('success', proxyreseller_UnsuspendAccount($this->params));
        self::assertSame('a customer chose this', $this->service()['password']);
    }

    public function testTheTrafficIsReported(): void
    {
        $this->params['model']->serviceProperties->save(['Proxy service' => 5101]);
        self::assertSame('success', proxyreseller_UsageUpdate($this->params));
        self::assertSame([540.0, 10000.0], [$this->params['model']->bwusage, $this->params['model']->bwlimit]);
    }

    private function property(string $name): mixed
    {
        return $this->params['model']->serviceProperties->get($name);
    }

    private function service(): array
    {
        return proxyreseller_call($this->params, 'GET', "/service/{$this->property('Proxy service')}");
    }

    /** How many orders were executed */
    private function orders(): int
    {
        $path = "/requests?account={$this->account['login']}&operation=orderService";
        return count(array_filter($this->admin('GET', $path)['requests'], fn ($request) => $request['change'] !== null));
    }

    private function fault(array $fault): void
    {
        $this->admin('POST', "/faults?account={$this->account['login']}", $fault + ['times' => 1]);
    }

    private function url(): string
    {
        return getenv('PROXYSIM_URL') ?: 'http://127.0.0.1:4010';
    }

    private function admin(string $method, string $path, ?array $body = null): array
    {
        $options = ['method' => $method, 'header' => 'Content-Type: application/json', 'content' => json_encode($body)];
        if ($body === null) {
            unset($options['content']);
        }
        $text = file_get_contents("{$this->url()}/__admin$path", false, stream_context_create(['http' => $options]));
        return json_decode($text, true) ?? [];
    }
}
