<?php

declare(strict_types=1);

// The parts of WHMCS that the modules need, and the life of one service: `php whmcs.php proxyreseller`.

namespace WHMCS\Service {
    final class ServiceProperties
    {
        private array $values = [];

        /** @param ?string $file keeps the data after the process ends, as WHMCS's database does */
        public function __construct(private readonly ?string $file = null)
        {
            if ($file !== null && is_file($file)) {
                $this->values = json_decode(file_get_contents($file), true);
            }
        }

        public function save(array $values): void
        {
            $this->values = $values + $this->values;
            if ($this->file !== null) {
                file_put_contents($this->file, json_encode($this->values));
            }
        }

        public function get(string $name): mixed
        {
            return $this->values[$name] ?? null;
        }
    }

    final class Service
    {
        /** @var list<self> the services in the database */
        public static array $all = [];
        public float $bwusage = 0;
        public float $bwlimit = 0;

        public function __construct(
            public readonly int $server = 1,
            public readonly ServiceProperties $serviceProperties = new ServiceProperties(),
        ) {
            self::$all[] = $this;
        }

        public static function where(string $column, mixed $value): object
        {
            $found = array_filter(self::$all, fn (self $service) => $service->$column === $value);
            return new class ($found) {
                public function __construct(private readonly array $found)
                {
                }

                public function get(): array
                {
                    return $this->found;
                }
            };
        }

        public function save(): void
        {
        }
    }
}

namespace {
    use WHMCS\Service\Service;
    use WHMCS\Service\ServiceProperties;

    function logModuleCall(
        string $module,
        string $action,
        mixed $request,
        mixed $response,
        mixed $data = '',
        array $secrets = [],
    ): void {
        $line = "$action " . ($request === null ? '' : json_encode($request)) . " → $response\n";
        $GLOBALS['moduleLog'][] = str_replace($secrets, '…', $line);
    }

    /** The parameters that WHMCS passes to every function of a module */
    function moduleParams(string $url, string $login, string $password, int $product = 101): array
    {
        $folder = getenv('PROXYSIM_RUN_DIR');
        $properties = new ServiceProperties($folder ? "$folder/service.json" : null);
        return [
            'serverid' => 1,
            'serverhostname' => parse_url($url, PHP_URL_HOST),
            'serverport' => parse_url($url, PHP_URL_PORT),
            'serversecure' => parse_url($url, PHP_URL_SCHEME) === 'https',
            'serverusername' => $login,
            'serverpassword' => $password,
            'configoption1' => (string) $product,
            'configoption2' => '11',
            'password' => 'a customer chose this',
            'model' => new Service(1, $properties),
        ];
    }

    /** A customer orders and changes the password. A second run only repeats calls that failed, as the module queue does. */
    function lifeOfAService(string $module): int
    {
        require_once __DIR__ . "/$module.php";
        $params = moduleParams(
            getenv('PROXYSIM_URL') ?: 'http://127.0.0.1:4010',
            getenv('PROXYSIM_LOGIN') ?: 'reseller',
            getenv('PROXYSIM_PASSWORD') ?: 'secret',
        );
        $properties = $params['model']->serviceProperties;
        foreach (['CreateAccount', 'ChangePassword'] as $function) {
            if ($properties->get("$function done")) {
                continue;
            }
            $result = "{$module}_$function"($params);
            echo "$function: $result\n";
            if ($result !== 'success') {
                return 1;
            }
            $properties->save(["$function done" => true]);
        }
        return 0;
    }

    if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
        $status = lifeOfAService($argv[1] ?? 'proxyreseller');
        if ($status !== 0) {
            fwrite(STDERR, implode('', $GLOBALS['moduleLog'] ?? []));
        }
        exit($status);
    }
}
