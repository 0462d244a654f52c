<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/Reseller.php';
require_once __DIR__ . '/Account.php';

final class ResellerTest extends TestCase
{
    private Account $account;
    private Reseller $api;

    protected function setUp(): void
    {
        $this->account = new Account('default');
        $this->api = new Reseller(Account::url(), $this->account->login, $this->account->password);
    }

    protected function tearDown(): void
    {
        $this->account->delete();
    }

    public function testAnOrderBecomesAServiceAndCostsWhatTheProductCosts(): void
    {
        $this->account->patch(['credit' => 100]);
        $product = $this->static10();
        $service = $this->api->service($this->api->order(11, $product));
        self::assertSame('Static 10', $service['product_name']);
        self::assertSame($product['price'], $service['price']);
        // The documentation does not say whether a new service is Active, nor when it is paid.
        self::assertContains($service['status'], ['Active', 'Pending']);
        self::assertContains($this->api->credit(), [80.0, 100.0]);
    }

    public function testAnOrderWithoutFundsIsRefused(): void
    {
        $product = $this->static10();
        $this->account->patch(['credit' => 0.5]);
        $refused = $this->expectRefusal(fn () => $this->api->order(11, $product));
        self::assertSame('Unprocessed entity or not enough funds to order', $refused->getMessage());
        self::assertSame('insufficient-funds', $refused->case);
    }

    public function testAnOrderOfAnUnknownProductIsRefused(): void
    {
        $withdrawn = ['productId' => 999, 'productName' => 'Withdrawn'];
        $refused = $this->expectRefusal(fn () => $this->api->order(11, $withdrawn));
        self::assertSame([422, 'product-not-found'], [$refused->status, $refused->case]);
    }

    public function testAnAddressOfAnotherServiceIsRefused(): void
    {
        $refused = $this->expectRefusal(fn () => $this->api->update(5001, ['setip' => '192.0.2.20']));
        self::assertSame('ip-already-bound', $refused->case);
        self::assertSame('192.0.2.10', $this->api->service(5001)['bindedip']);
    }

    public function testAnOrderWhoseResponseIsLostIsFoundAndNotPaidTwice(): void
    {
        $product = $this->static10();
        $this->account->fault('orderService', ['phase' => 'after', 'drop' => 'reset']);
        $service = $this->api->service($this->api->order(11, $product));
        self::assertSame('Static 10', $service['product_name']);
        self::assertCount(1, $this->account->requests('orderService'));
        self::assertSame([], $this->account->findings());
    }

    public function testAnOrderThatNeverArrivedIsPlacedAgain(): void
    {
        $product = $this->static10();
        $before = count($this->api->services());
        $this->account->fault('orderService', ['phase' => 'before', 'drop' => 'reset']);
        $this->api->order(11, $product);
        self::assertCount(2, $this->account->requests('orderService'));
        self::assertCount($before + 1, $this->api->services());
    }

    public function testAnIpListCanBeUpdatedAgainAtTheTimeThatTheRefusalNames(): void
    {
        $update = fn () => $this->api->update(5001, ['update_list' => 'true']);
        $updated = ['success' => 'IP list updated successfully'];
        self::assertSame($updated, $update()['update_list']);
        $throttled = $this->expectRefusal($update);
        self::assertInstanceOf(Throttled::class, $throttled);
        $this->account->setClock(str_replace(' ', 'T', $throttled->until()) . 'Z');
        self::assertSame($updated, $update()['update_list']);
        self::assertSame([], $this->account->findings());
    }

    private function static10(): array
    {
        foreach ($this->api->products() as $product) {
            if ($product['productId'] === 101) {
                return $product;
            }
        }
        self::fail('The catalogue lacks product 101.');
    }

    private function expectRefusal(callable $call): Refused
    {
        try {
            $call();
        } catch (Refused $refused) {
            return $refused;
        }
        self::fail('It should have been refused.');
    }
}
