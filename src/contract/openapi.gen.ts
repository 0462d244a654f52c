// Generated from openapi.yaml by `npx tsx scripts/generate.ts`. Do not edit.

export interface paths {
    "/api/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the clients
         * @description All clients of the account. A client's `id` is the `clientid` of an order.
         */
        get: operations["listClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stats/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
            };
            cookie?: never;
        };
        /**
         * Read the statistics of a service
         * @description The usage of a rotating-proxy (`ppr`) service, day by day.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rate/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
            };
            cookie?: never;
        };
        /**
         * Read the rate of a service
         * @description The limit of a rotating-proxy (`ppr`) service, and how much of it is used.
         */
        get: operations["getRate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/product/{pid}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the product.
                 * @example 101
                 */
                pid: components["parameters"]["ProductId"];
            };
            cookie?: never;
        };
        /**
         * Read a product
         * @description One product with all its details. The name is only in the lists of products.
         */
        get: operations["getProduct"];
        put?: never;
        /**
         * Order a product for a client
         * @description Creates a service, an order and an invoice, and fails if the account's credit does not cover the price.
         *
         *     There is no idempotency key: resending an order creates a second one, and charges for it. When a
         *     response is lost, read the services before you order again.
         */
        post: operations["orderService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the products
         * @description All products. Hidden ones are left out, unless the assumption `hiddenProducts` includes them.
         */
        get: operations["listProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/orderby/{field}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The field to sort by.
                 * @example price
                 */
                field: "productId" | "productName" | "price" | "groupId" | "groupName" | "created_at";
            };
            cookie?: never;
        };
        /**
         * List the products sorted by a field
         * @description All products, sorted by one of their fields. Hidden ones are left out, unless the assumption `hiddenProducts` includes them.
         */
        get: operations["listProductsOrderedBy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/networkstatus/errors/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service.
                 * @example 5001
                 */
                id: components["parameters"]["ServiceId"];
            };
            cookie?: never;
        };
        /**
         * List the proxy servers in an error state
         * @description The addresses of the service's proxy servers that are in an error state.
         */
        get: operations["getNetworkErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/networkstatus/inactive/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service.
                 * @example 5001
                 */
                id: components["parameters"]["ServiceId"];
            };
            cookie?: never;
        };
        /**
         * List the inactive proxy servers
         * @description The addresses of the service's proxy servers that are inactive.
         */
        get: operations["getNetworkInactive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/credit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the credit balance
         * @description The credit of the account, from which orders are paid.
         */
        get: operations["getCredit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invoices
         * @description All invoices of the account, whatever their status.
         */
        get: operations["listInvoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/invoice/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the invoice.
                 * @example 9001
                 */
                id: components["schemas"]["PathId"];
            };
            cookie?: never;
        };
        /**
         * Read an invoice
         * @description One invoice, in an array of the same shape as the list.
         */
        get: operations["getInvoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/service/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service.
                 * @example 5001
                 */
                id: components["parameters"]["ServiceId"];
            };
            cookie?: never;
        };
        /**
         * Read a service
         * @description One service with all its details, including the proxy username and password.
         */
        get: operations["getService"];
        /**
         * Update a service
         * @description Binds an address, requests a new IP list, sets a new proxy password, or does several of these at once. The
         *     response has a key for each requested field.
         *
         *     Updates of the IP list are rate-limited. If one is too early, the 429 gives the time of the next possible
         *     update.
         */
        put: operations["updateService"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the services
         * @description All services of the account, whatever their status.
         */
        get: operations["listServices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/iplist/{typel}/{formatl}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The proxies in the list, and how to access them. `http-ip` and `socks-ip`: static proxies, access by bound address. `http-auth`: static
                 *     proxies, access by username and password. `ppr-http` and `ppr-socks`: rotating proxies.
                 * @example http-ip
                 */
                typel: "http-ip" | "socks-ip" | "http-auth" | "ppr-http" | "ppr-socks";
                /**
                 * @description The format of the list.
                 * @example txt
                 */
                formatl: "csv" | "txt" | "json";
                /**
                 * @description The id of the service.
                 * @example 5001
                 */
                id: components["parameters"]["ServiceId"];
            };
            cookie?: never;
        };
        /**
         * Read the IP list of a service
         * @description The addresses of the service with their ports, followed by username and password for the types with
         *     authentication. The format is chosen in the path, not by the `Accept` header.
         */
        get: operations["getIpList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sticky/list/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
            };
            cookie?: never;
        };
        /**
         * List the sticky sessions of a service
         * @description The active sticky sessions of a rotating-proxy (`ppr`) service.
         */
        get: operations["listStickySessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sticky/rotate/{id}/{server}/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
                /**
                 * @description The server where the session is rotated.
                 * @example us1
                 */
                server: string;
                /**
                 * @description The id of the session.
                 * @example abc
                 */
                session: string;
            };
            cookie?: never;
        };
        /**
         * Rotate the address of a sticky session
         * @description Assigns the session of a rotating-proxy (`ppr`) service a new address. Although it is a GET, it changes state:
         *     each request rotates again.
         */
        get: operations["rotateStickySession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sticky/changettl/{id}/{ttl}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
                /**
                 * @description The new time-to-live of the sticky sessions, in minutes.
                 * @example 10
                 */
                ttl: "1" | "2" | "3" | "5" | "10" | "15";
            };
            cookie?: never;
        };
        /**
         * Change the time-to-live of sticky sessions
         * @description Sets how long the sticky sessions of a rotating-proxy (`ppr`) service live. Although it is a GET, it changes
         *     state. If the service is not active or not of type `ppr`, the response is empty.
         */
        get: operations["changeStickyTtl"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sticky/resetall/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
            };
            cookie?: never;
        };
        /**
         * Reset all sticky sessions of a service
         * @description Ends all sticky sessions of a rotating-proxy (`ppr`) service. Although it is a GET, it changes state.
         */
        get: operations["resetStickySessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An id in the path. */
        PathId: string;
        /** @description An id. */
        Id: number | string;
        /** @description A whole number. */
        Count: number | string;
        /** @description A number of requests, or of MB. */
        Quantity: number | string;
        /** @description An amount in US dollars. */
        Money: number | string;
        /**
         * Format: date
         * @description A date, YYYY-MM-DD.
         */
        CalendarDate: string;
        /** @description A date with time, YYYY-MM-DD HH:MM:SS. */
        DateTime: string;
        /** @description An IPv4 address in dotted decimal, without leading zeros. */
        IPv4: string;
        /** @description An empty array, if there is nothing to return. */
        EmptyArray: [
        ];
        /**
         * @description `fpr` is a static proxy, `ppr` a rotating proxy.
         * @enum {string}
         */
        ProductType: "fpr" | "ppr";
        /**
         * @description The status of the service.
         * @enum {string}
         */
        ServiceStatus: "Active" | "Pending" | "Suspended" | "Terminated" | "Cancelled" | "Fraud";
        /**
         * @description The status of the invoice.
         * @enum {string}
         */
        InvoiceStatus: "Unpaid" | "Paid" | "Cancelled" | "Refunded" | "Collections" | "Payment Pending" | "Pending";
        /**
         * @description How often the service is billed.
         * @enum {string}
         */
        BillingCycle: "Free" | "Monthly" | "Quarterly" | "Semi-Annually" | "Annually" | "Biennially" | "Triennially";
        /** @description A client of the account. */
        Client: {
            /** @description The id of the client. */
            id: components["schemas"]["Id"];
            /** @description The e-mail address of the client. */
            email: string;
        };
        /** @description A product, as the lists show it. */
        ProductSummary: {
            /** @description The id of the product. */
            productId: components["schemas"]["Id"];
            /** @description The name of the product. */
            productName: string;
            /** @description The price in USD. */
            price: components["schemas"]["Money"];
            /** @description The id of the product group. */
            groupId: components["schemas"]["Id"];
            /** @description The name of the product group. */
            groupName: string;
            /** @description The date on which the product was created. */
            created_at: components["schemas"]["CalendarDate"];
        };
        /** @description A product with all its details. */
        ProductDetail: {
            /** @description The id of the product. */
            productId: components["schemas"]["Id"];
            /** @description The price in USD. */
            price: components["schemas"]["Money"];
            /** @description The id of the product group. */
            groupId: components["schemas"]["Id"];
            /** @description The name of the product group. */
            groupName: string;
            /** @description The date on which the product was created. */
            created_at: components["schemas"]["CalendarDate"];
            /** @description Whether the product is hidden. */
            product_hidden: boolean;
            /** @description Whether the product group is hidden. */
            group_hidden: boolean;
            product_type: components["schemas"]["ProductType"];
            /** @description The number of addresses. `fpr` only. */
            ip_count?: components["schemas"]["Count"];
            /** @description When the product was last updated. `fpr` only. */
            update_time?: components["schemas"]["DateTime"];
            /** @description The countries of the addresses. `fpr` only. */
            geo?: components["schemas"]["Geo"][];
        };
        /** @description The code of a country, two capital letters. */
        Geo: string | {
            code: string;
            name: string;
        };
        /** @description An order. */
        OrderRequest: {
            /** @description The id of the client for whom the product is ordered. */
            clientid: components["schemas"]["Id"];
            /** @description The IPv4 address to bind. `fpr` products only. */
            setip?: string;
        };
        /** @description The service, order and invoice that an order created. */
        OrderResult: {
            /** @description The id of the new service. */
            serviceId: components["schemas"]["Id"];
            /** @description The id of the new order. */
            orderId: components["schemas"]["Id"];
            /** @description The id of the new invoice. */
            invoiceId: components["schemas"]["Id"];
            /** @description The amount of the invoice in USD. */
            amount: components["schemas"]["Money"];
            /** @description The address bound by `setip`, otherwise the first address of the new service. */
            ip: components["schemas"]["IPv4"];
        };
        /** @description A service, as the list shows it. */
        ServiceSummary: {
            /** @description The id of the service. */
            service_id: components["schemas"]["Id"];
            /** @description The name of the product that was ordered. */
            product_name: string;
            /** @description The date on which the next payment is due. */
            nextduedate: components["schemas"]["CalendarDate"];
            /** @description The id of the order that created the service. */
            orderid: components["schemas"]["Id"];
            status: components["schemas"]["ServiceStatus"];
        };
        /** @description A service with all its details. */
        ServiceDetail: {
            /** @description The id of the service. */
            service_id: components["schemas"]["Id"];
            /** @description The id of the order that created the service. */
            orderid: components["schemas"]["Id"];
            /** @description The name of the product that was ordered. */
            product_name: string;
            /** @description The date on which the service was ordered. */
            regdate: components["schemas"]["CalendarDate"];
            /** @description The date on which the next payment is due. */
            nextduedate: components["schemas"]["CalendarDate"];
            status: components["schemas"]["ServiceStatus"];
            billingcycle: components["schemas"]["BillingCycle"];
            /** @description The proxy username. */
            username: string;
            /** @description The proxy password in plain text, not base64-encoded. */
            password: string;
            /** @description The bound IPv4 address. `fpr` only; absent if no address is bound. */
            bindedip?: components["schemas"]["IPv4"] | string;
            product_type: components["schemas"]["ProductType"];
            /** @description The number of addresses. `fpr` only. */
            ip_count?: components["schemas"]["Count"];
            /** @description The price in USD. */
            price: components["schemas"]["Money"];
        };
        /** @description The changes to a service. */
        UpdateServiceRequest: {
            /** @description The IPv4 address to bind. */
            setip?: string;
            /** @description The value `true`, as a string, requests an update of the IP list. */
            update_list?: string;
            /** @description The new proxy password, base64-encoded. */
            password?: string;
        };
        /** @description The confirmed changes to a service, with a key for each requested field. */
        UpdateServiceResult: {
            /** @description The address was bound. */
            setip?: {
                /**
                 * @description A fixed message.
                 * @enum {string}
                 */
                success: "IP address updated successfully";
            };
            /** @description The IP list was updated. */
            update_list?: {
                /**
                 * @description A fixed message.
                 * @enum {string}
                 */
                success: "IP list updated successfully";
            };
            /** @description The password was set. */
            password?: {
                /**
                 * @description A fixed message.
                 * @enum {string}
                 */
                success: "Password updated successfully";
            };
        };
        /** @description The credit of the account. */
        Credit: {
            /** @description The credit in USD. */
            credit: components["schemas"]["Money"];
        };
        /** @description Invoices. */
        Invoices: components["schemas"]["Invoice"][];
        /** @description An invoice. */
        Invoice: {
            /** @description The id of the invoice. */
            id: components["schemas"]["Id"];
            /** @description The product and the order that the invoice is for. */
            description: string;
            status: components["schemas"]["InvoiceStatus"];
            /** @description The date of the invoice. */
            created_at: components["schemas"]["CalendarDate"];
            /** @description The amount in USD. */
            amount: components["schemas"]["Money"];
            /** @description The date on which the invoice was refunded; absent if it was not. */
            date_refunded?: components["schemas"]["CalendarDate"] | (null | "" | "0000-00-00");
            /** @description The date on which the invoice was paid; absent if it was not. */
            date_paid?: components["schemas"]["CalendarDate"] | (null | "" | "0000-00-00");
            /** @description The payment method. */
            paymentmethod: string;
            /** @description The id of the service that the invoice is for. */
            serviceid: components["schemas"]["Id"];
        };
        /** @description The usage of a service on a day. */
        StatisticsEntry: {
            /** @description The day. */
            date: components["schemas"]["CalendarDate"];
            /** @description The count of requests, or the used traffic in MB. */
            rate: components["schemas"]["Quantity"];
        };
        /** @description The limit of a service, and how much of it is used. */
        RateEntry: {
            /** @description The limit of requests, or of used traffic in MB. */
            limit: components["schemas"]["Quantity"];
            /** @description The count of requests, or the used traffic in MB. */
            rate: components["schemas"]["Quantity"];
        };
        /** @description `ip:port`, or `ip:port:username:password` for the types with authentication. */
        IpListEntry: string | {
            ip: components["schemas"]["IPv4"];
            port: components["schemas"]["Count"];
            username?: string;
            password?: string;
        } | components["schemas"]["IPv4"];
        /** @description A sticky session, identified by its server and its session id. */
        StickySession: {
            /** @description The name of the server. */
            server: string;
            /** @description The id of the session. */
            session: string;
            /** @description The current address of the session. */
            ip: components["schemas"]["IPv4"];
            /** @description The time-to-live in minutes. */
            ttl: components["schemas"]["Count"];
            /** @description When the session ends. */
            expires_at: components["schemas"]["DateTime"];
        };
        /** @description The TTL was changed. */
        TtlChanged: {
            /**
             * @description A fixed message.
             * @enum {string}
             */
            success: "TTL changed successfully";
        };
        /** @description The sticky sessions were reset. */
        StickyReset: {
            /**
             * @description A fixed message.
             * @enum {string}
             */
            success: "Sticky sessions reset successfully";
        };
        /**
         * @description The problem with the Authorization header.
         * @enum {string}
         */
        BadAuthorizationText: "Invalid Authorization header" | "Invalid credentials format";
        /**
         * @description The credentials are missing or wrong.
         * @enum {string}
         */
        UnauthenticatedText: "Unauthenticated";
        /** @description An error. */
        ErrorBody: {
            /** @description Human-readable message. */
            error: string;
        };
        /** @description An update of the IP list was requested too soon. */
        ThrottledError: {
            /** @description The message, with the time of the next possible update, YYYY-MM-DD HH:MM:SS. */
            error: string;
        };
    };
    responses: {
        /** @description The Authorization header is invalid. */
        BadAuthorization: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "text/plain": components["schemas"]["BadAuthorizationText"];
            };
        };
        /** @description The Authorization header is invalid (plain text), or the client of the service does not exist (JSON). */
        BadAuthorizationOrClient: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "text/plain": components["schemas"]["BadAuthorizationText"];
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The credentials are missing or wrong. */
        Unauthenticated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "text/plain": components["schemas"]["UnauthenticatedText"];
            };
        };
        /** @description The request cannot be processed; the message does not say why. */
        Unprocessable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: {
        /**
         * @description The id of the service.
         * @example 5001
         */
        ServiceId: components["schemas"]["PathId"];
        /**
         * @description The id of the service, of type `ppr`.
         * @example 5101
         */
        RotatingServiceId: components["schemas"]["PathId"];
        /**
         * @description The id of the product.
         * @example 101
         */
        ProductId: components["schemas"]["PathId"];
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listClients: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clients; an empty array if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 11,
                     *         "email": "ana@example.com"
                     *       },
                     *       {
                     *         "id": 12,
                     *         "email": "ben@example.com"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Client"][];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
        };
    };
    getStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One entry for each day with usage; an empty array if there was none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "date": "2026-01-13",
                     *         "rate": 80
                     *       },
                     *       {
                     *         "date": "2026-01-14",
                     *         "rate": 120
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["StatisticsEntry"][];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
            422: components["responses"]["Unprocessable"];
        };
    };
    getRate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limit and how much of it is used; an empty array if there is no limit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "limit": 10000,
                     *         "rate": 200
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["RateEntry"][];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
            422: components["responses"]["Unprocessable"];
        };
    };
    getProduct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the product.
                 * @example 101
                 */
                pid: components["parameters"]["ProductId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The product. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "productId": 101,
                     *       "price": 20,
                     *       "groupId": 1,
                     *       "groupName": "Static",
                     *       "created_at": "2025-01-02",
                     *       "product_hidden": false,
                     *       "group_hidden": false,
                     *       "product_type": "fpr",
                     *       "ip_count": 10,
                     *       "update_time": "2026-01-15 12:00:00",
                     *       "geo": [
                     *         "US",
                     *         "DE"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProductDetail"];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
            /** @description There is no such product. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    orderService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the product.
                 * @example 101
                 */
                pid: components["parameters"]["ProductId"];
            };
            cookie?: never;
        };
        /** @description The client to order for and, for `fpr` products, the address to bind. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clientid": 11,
                 *       "setip": "203.0.113.10"
                 *     }
                 */
                "application/json": components["schemas"]["OrderRequest"];
            };
        };
        responses: {
            /** @description The created service, order and invoice. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": 5104,
                     *       "orderId": 7104,
                     *       "invoiceId": 9010,
                     *       "amount": 20,
                     *       "ip": "203.0.113.10"
                     *     }
                     */
                    "application/json": components["schemas"]["OrderResult"];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
            /** @description The order was refused; nothing was created and no credit was taken. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listProducts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The products; an empty array if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "productId": 101,
                     *         "productName": "Static 10",
                     *         "price": 20,
                     *         "groupId": 1,
                     *         "groupName": "Static",
                     *         "created_at": "2025-01-02"
                     *       },
                     *       {
                     *         "productId": 201,
                     *         "productName": "Rotating",
                     *         "price": 49.9,
                     *         "groupId": 2,
                     *         "groupName": "Rotating",
                     *         "created_at": "2025-03-04"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ProductSummary"][];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
        };
    };
    listProductsOrderedBy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The field to sort by.
                 * @example price
                 */
                field: "productId" | "productName" | "price" | "groupId" | "groupName" | "created_at";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The products; an empty array if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "productId": 101,
                     *         "productName": "Static 10",
                     *         "price": 20,
                     *         "groupId": 1,
                     *         "groupName": "Static",
                     *         "created_at": "2025-01-02"
                     *       },
                     *       {
                     *         "productId": 201,
                     *         "productName": "Rotating",
                     *         "price": 49.9,
                     *         "groupId": 2,
                     *         "groupName": "Rotating",
                     *         "created_at": "2025-03-04"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ProductSummary"][];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
            /** @description The products cannot be sorted by that field. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getNetworkErrors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service.
                 * @example 5001
                 */
                id: components["parameters"]["ServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The addresses; an empty array if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       "192.0.2.3",
                     *       "192.0.2.4"
                     *     ]
                     */
                    "application/json": components["schemas"]["IPv4"][];
                };
            };
            400: components["responses"]["BadAuthorizationOrClient"];
            401: components["responses"]["Unauthenticated"];
            422: components["responses"]["Unprocessable"];
        };
    };
    getNetworkInactive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service.
                 * @example 5001
                 */
                id: components["parameters"]["ServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The addresses; an empty array if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       "192.0.2.3",
                     *       "192.0.2.4"
                     *     ]
                     */
                    "application/json": components["schemas"]["IPv4"][];
                };
            };
            400: components["responses"]["BadAuthorizationOrClient"];
            401: components["responses"]["Unauthenticated"];
            422: components["responses"]["Unprocessable"];
        };
    };
    getCredit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "credit": 250.5
                     *     }
                     */
                    "application/json": components["schemas"]["Credit"];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
        };
    };
    listInvoices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invoices; an empty array if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 9001,
                     *         "description": "Static 10",
                     *         "status": "Paid",
                     *         "created_at": "2026-01-15",
                     *         "amount": 20,
                     *         "date_paid": "2026-01-15",
                     *         "paymentmethod": "credit",
                     *         "serviceid": 5001
                     *       },
                     *       {
                     *         "id": 9002,
                     *         "description": "Rotating",
                     *         "status": "Unpaid",
                     *         "created_at": "2026-01-15",
                     *         "amount": 49.9,
                     *         "paymentmethod": "credit",
                     *         "serviceid": 5002
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Invoices"];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
        };
    };
    getInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the invoice.
                 * @example 9001
                 */
                id: components["schemas"]["PathId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array with the invoice; an empty array if there is no such invoice. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 9001,
                     *         "description": "Static 10",
                     *         "status": "Paid",
                     *         "created_at": "2026-01-15",
                     *         "amount": 20,
                     *         "date_paid": "2026-01-15",
                     *         "paymentmethod": "credit",
                     *         "serviceid": 5001
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Invoices"];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
            /** @description There is no invoice with this id. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service.
                 * @example 5001
                 */
                id: components["parameters"]["ServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "service_id": 5001,
                     *       "orderid": 7001,
                     *       "product_name": "Static 10",
                     *       "regdate": "2026-01-15",
                     *       "nextduedate": "2026-02-15",
                     *       "status": "Active",
                     *       "billingcycle": "Monthly",
                     *       "username": "user5001",
                     *       "password": "s3cret",
                     *       "bindedip": "192.0.2.10",
                     *       "product_type": "fpr",
                     *       "ip_count": 10,
                     *       "price": 20
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceDetail"] | components["schemas"]["EmptyArray"];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
            /** @description There is no service with this id. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    updateService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service.
                 * @example 5001
                 */
                id: components["parameters"]["ServiceId"];
            };
            cookie?: never;
        };
        /** @description The changes; every field is optional. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "setip": "203.0.113.20",
                 *       "update_list": "true",
                 *       "password": "bmV3LXNlY3JldA=="
                 *     }
                 */
                "application/json": components["schemas"]["UpdateServiceRequest"];
            };
        };
        responses: {
            /** @description A confirmation for each changed field. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "setip": {
                     *         "success": "IP address updated successfully"
                     *       },
                     *       "update_list": {
                     *         "success": "IP list updated successfully"
                     *       },
                     *       "password": {
                     *         "success": "Password updated successfully"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UpdateServiceResult"];
                };
            };
            400: components["responses"]["BadAuthorizationOrClient"];
            401: components["responses"]["Unauthenticated"];
            /** @description The update was refused; nothing was changed. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The IP list was updated too recently; nothing was changed. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThrottledError"];
                };
            };
        };
    };
    listServices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The services; an empty array if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "service_id": 5001,
                     *         "product_name": "Static 10",
                     *         "nextduedate": "2026-02-15",
                     *         "orderid": 7001,
                     *         "status": "Active"
                     *       },
                     *       {
                     *         "service_id": 5002,
                     *         "product_name": "Rotating",
                     *         "nextduedate": "2026-02-15",
                     *         "orderid": 7002,
                     *         "status": "Pending"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ServiceSummary"][];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
        };
    };
    getIpList: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The proxies in the list, and how to access them. `http-ip` and `socks-ip`: static proxies, access by bound address. `http-auth`: static
                 *     proxies, access by username and password. `ppr-http` and `ppr-socks`: rotating proxies.
                 * @example http-ip
                 */
                typel: "http-ip" | "socks-ip" | "http-auth" | "ppr-http" | "ppr-socks";
                /**
                 * @description The format of the list.
                 * @example txt
                 */
                formatl: "csv" | "txt" | "json";
                /**
                 * @description The id of the service.
                 * @example 5001
                 */
                id: components["parameters"]["ServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list in the selected format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example 192.0.2.1:8080
                     *     192.0.2.2:8080
                     */
                    "text/plain": string;
                    /**
                     * @example ip,port
                     *     192.0.2.1,8080
                     *     192.0.2.2,8080
                     */
                    "text/csv": string;
                    /**
                     * @example [
                     *       "192.0.2.1:8080",
                     *       "192.0.2.2:8080"
                     *     ]
                     */
                    "application/json": components["schemas"]["IpListEntry"][];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
            422: components["responses"]["Unprocessable"];
        };
    };
    listStickySessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions; an empty array if there are none, or if the service is not of type `ppr` or is inactive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "server": "us1",
                     *         "session": "abc",
                     *         "ip": "198.51.100.7",
                     *         "ttl": 10,
                     *         "expires_at": "2026-01-15 12:10:00"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["StickySession"][];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
            /** @description The sessions could not be read; the message says why. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    rotateStickySession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
                /**
                 * @description The server where the session is rotated.
                 * @example us1
                 */
                server: string;
                /**
                 * @description The id of the session.
                 * @example abc
                 */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session after the rotation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "server": "us1",
                     *       "session": "abc",
                     *       "ip": "198.51.100.8",
                     *       "ttl": 10,
                     *       "expires_at": "2026-01-15 12:10:00"
                     *     }
                     */
                    "application/json": components["schemas"]["StickySession"];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
            422: components["responses"]["Unprocessable"];
        };
    };
    changeStickyTtl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
                /**
                 * @description The new time-to-live of the sticky sessions, in minutes.
                 * @example 10
                 */
                ttl: "1" | "2" | "3" | "5" | "10" | "15";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The TTL was changed. If the service is not active or not of type `ppr`, nothing was changed and the response is empty. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": "TTL changed successfully"
                     *     }
                     */
                    "application/json": components["schemas"]["TtlChanged"] | components["schemas"]["EmptyArray"];
                    /** @example  */
                    "text/plain": string;
                };
            };
            /** @description The Authorization header is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": components["schemas"]["BadAuthorizationText"];
                };
            };
            /** @description The credentials are missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": components["schemas"]["UnauthenticatedText"];
                };
            };
            422: components["responses"]["Unprocessable"];
        };
    };
    resetStickySessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, of type `ppr`.
                 * @example 5101
                 */
                id: components["parameters"]["RotatingServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions were reset. If the service is not active or not of type `ppr`, nothing was reset and the body is an empty array. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": "Sticky sessions reset successfully"
                     *     }
                     */
                    "application/json": components["schemas"]["StickyReset"] | components["schemas"]["EmptyArray"];
                };
            };
            400: components["responses"]["BadAuthorization"];
            401: components["responses"]["Unauthenticated"];
            422: components["responses"]["Unprocessable"];
        };
    };
}
