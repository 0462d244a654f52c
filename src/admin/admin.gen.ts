// Generated from admin.openapi.yaml by `npx tsx scripts/generate.ts`. Do not edit.

export interface paths {
    "/__admin/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell whether the simulator is ready
         * @description Answers as soon as requests are taken. 503 means that requests should go elsewhere for now: the simulator is
         *     stopping, or its shared store can't be reached.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read metrics for Prometheus
         * @description Requests by operation and status, their duration, and how the shared store was worked with. 404 unless the
         *     simulator was started with `--metrics`.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this description
         * @description The OpenAPI document of the control plane. The one of the simulated API is at `/openapi.yaml`.
         */
        get: operations["getAdminDescription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/assumptions": {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what the API's documentation leaves open
         * @description Each gap of the documentation with the reading that is the default and the others. An account's `assumptions`
         *     choose (`PATCH /__admin/accounts/{login}`, or a scenario).
         */
        get: operations["listAssumptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/scenarios": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the scenarios
         * @description Those that are shipped, and those of the folder given with `--scenarios`.
         */
        get: operations["listScenarios"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/scenarios/{name}/load": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The scenario's name.
                 * @example low-funds
                 */
                name: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Load a scenario
         * @description Resets everything to that scenario. Requests under way write nothing into the new state.
         */
        post: operations["loadScenario"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/scenario": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the present state as a scenario
         * @description All accounts as they are now, with their passwords and tokens. Loaded again it gives the same answers: clock,
         *     throttle, sticky sessions, faults with their counters and the next ids included. YAML if `Accept` names it,
         *     up to 1 MB: a longer one is refused, and would not be read again.
         */
        get: operations["getScenario"];
        /**
         * Load the scenario of the body
         * @description The same as loading a named one. JSON may have 64 MB, so that an exported state comes back; YAML 1 MB. A wrong
         *     scenario is refused whole, each mistake with its line and column.
         */
        put: operations["putScenario"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/reset": {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Load the present scenario again
         * @description State, journal, coverage and faults start anew; accounts that were created since are gone. With `account`, that
         *     account alone goes back to what it began as; the others are left alone. Requests under way write nothing into
         *     the new state. What was replaced is kept as snapshot `before-load`.
         */
        post: operations["resetAll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the accounts
         * @description Each login with its credit, its clock and how many records of each kind it has.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Create an isolated account
         * @description A new world, as the first account of a scenario has it. Tests that use an account each can run side by side.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/accounts/{login}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account's login.
                 * @example reseller
                 */
                login: components["parameters"]["Login"];
            };
            cookie?: never;
        };
        /**
         * Read an account's world
         * @description The world, in the form that accounts have in scenarios.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        /**
         * Delete an account
         * @description The account and all that it owns are gone. A reset brings back those of the scenario.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        /**
         * Patch an account's world
         * @description A JSON Merge Patch (RFC 7386) on the world: what is named is set, null removes. It is checked like a scenario and
         *     applied whole or not at all; new records are filled in as in a scenario. The clock never goes back, ids are never
         *     used again, and `bindedip: null` leaves the service without an address.
         */
        patch: operations["patchAccount"];
        trace?: never;
    };
    "/__admin/accounts/{login}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account's login.
                 * @example reseller
                 */
                login: components["parameters"]["Login"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate an API token
         * @description The token is accepted in the password's place from now on; those before it stay good.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/clock": {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the clock
         * @description What time it is in the account's world.
         */
        get: operations["getClock"];
        /**
         * Set the clock
         * @description Sets the time, or whether it stands still, or both. What falls due has happened when the answer comes. A running
         *     clock moves on while the request travels: an instant that it passed within the last second is now.
         */
        put: operations["setClock"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/clock/advance": {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Advance the clock
         * @description Whatever falls due meanwhile has happened, and lasts, when the answer comes.
         */
        post: operations["advanceClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/faults": {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the faults
         * @description In the order in which they are tried; the first that strikes a request is the only one that does. Of those that are
         *     spent, the last 20 are kept.
         */
        get: operations["listFaults"];
        put?: never;
        /**
         * Add a fault
         * @description Takes effect with the next request of the account.
         */
        post: operations["addFault"];
        /**
         * Remove all faults
         * @description Those of the picked account.
         */
        delete: operations["clearFaults"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/faults/{id}": {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the fault.
                 * @example 1
                 */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a fault
         * @description The one of that id, of the picked account.
         */
        delete: operations["removeFault"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/requests": {
        parameters: {
            query?: {
                /**
                 * @description An operationId of the contract.
                 * @example orderService
                 */
                operation?: components["parameters"]["FilterOperation"];
                /**
                 * @description A status, or a class of them.
                 * @example 4xx
                 */
                status?: components["parameters"]["FilterStatus"];
                /**
                 * @description A case of the contract.
                 * @example insufficient-funds
                 */
                case?: components["parameters"]["FilterCase"];
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
                /**
                 * @description The newest so many.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the journal
         * @description What was asked and answered since the last reset, the newest first. The journal is bounded (`--journal`).
         */
        get: operations["listRequests"];
        put?: never;
        post?: never;
        /**
         * Empty the journal
         * @description With `account`, only that account's entries. Coverage stays.
         */
        delete: operations["clearRequests"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/requests/{id}/rewind": {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a request in the journal.
                 * @example 17
                 */
                id: components["parameters"]["RequestId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go back to just before a request
         * @description The account's world is again what it was just before that request, fault counters and clock setting included.
         *     Other accounts are left alone; the journal keeps its entries. Rewinding is a change like any other: it gets the
         *     next version, and can be rewound itself.
         */
        post: operations["rewindRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/requests/{id}/repro": {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a request in the journal.
                 * @example 17
                 */
                id: components["parameters"]["RequestId"];
            };
            cookie?: never;
        };
        /**
         * Reproduce a request elsewhere
         * @description A scenario that has the account's world as it was just before that request, its clock standing at the request's
         *     time, and the call as a curl line. Loaded anywhere, the call gets the same status, body and case. The login, the
         *     password and the tokens in it are those of the scenario: they must be, to run. With `Accept: application/yaml`,
         *     the scenario alone, with the call in its description.
         */
        get: operations["reproduceRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/requests/wait": {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Wait for requests
         * @description Answers as soon as so many requests that fit are in the journal. Those that are there already count; a reset
         *     meanwhile begins the count anew.
         */
        post: operations["waitForRequests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/requests.har": {
        parameters: {
            query?: {
                /**
                 * @description An operationId of the contract.
                 * @example orderService
                 */
                operation?: components["parameters"]["FilterOperation"];
                /**
                 * @description A status, or a class of them.
                 * @example 4xx
                 */
                status?: components["parameters"]["FilterStatus"];
                /**
                 * @description A case of the contract.
                 * @example insufficient-funds
                 */
                case?: components["parameters"]["FilterCase"];
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
                /**
                 * @description The newest so many.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the journal as HAR 1.2
         * @description For the network panels of browsers and other viewers; the oldest first, as they expect it.
         */
        get: operations["getHar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/events": {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens
         * @description Server-sent events: `request` with an entry of the journal, `change` with `{account, change}` (a merge patch; null
         *     where the account is gone), `reset` with `{scenario}`. A reader that does not keep up is cut off; 100 can read at a
         *     time.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/coverage": {
        parameters: {
            query?: {
                /**
                 * @description Another format than JSON.
                 * @example markdown
                 */
                format?: "json" | "markdown" | "junit";
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell which answers of the contract were exercised
         * @description Counted over operation, status and case, since the last reset; the errors of authentication once, and not once for
         *     each operation. What no account can answer under its readings of the documentation is left out, unless it was
         *     answered all the same (by a fault, or before the readings were changed).
         */
        get: operations["getCoverage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/findings": {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell what the client does that will hurt
         * @description Against the real service, that is. Each finding names the requests that show it. They are read from the journal:
         *     what has fallen out of it (`--journal`) tells nothing any more.
         */
        get: operations["listFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the snapshots
         * @description The oldest first. Only so many are kept; then the oldest is dropped.
         */
        get: operations["listSnapshots"];
        put?: never;
        /**
         * Keep the present state
         * @description All accounts, with clocks, faults and counters; the journal is not part of it.
         */
        post: operations["takeSnapshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/snapshots/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the snapshot.
                 * @example s1
                 */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go back to a kept state
         * @description The snapshot is kept, so it can be restored again. Requests under way write nothing into the restored state.
         */
        post: operations["restoreSnapshot"];
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
        Error: {
            /** @description What is wrong. */
            error: string;
        };
        WrongInput: {
            /** @description What is wrong, in one line. */
            error: string;
            /** @description Each mistake. */
            details: {
                /** @description Where: a field, as `services.5001.status`. */
                path: string;
                /** @description What is wrong there and what is allowed. */
                message: string;
                /** @description The scenario's file. */
                file?: string;
                /** @description From 1. */
                line?: number;
                /** @description From 1. */
                column?: number;
            }[];
        };
        Clock: {
            /**
             * Format: date-time
             * @description ISO 8601, in UTC.
             */
            now: string;
            /** @description Whether it stands still. */
            frozen: boolean;
        };
        AccountSummary: {
            /** @description The login. */
            login: string;
            /** @description USD. */
            credit: number;
            /** @description How many. */
            clients: number;
            /** @description How many. */
            products: number;
            /** @description How many. */
            services: number;
            /** @description How many. */
            invoices: number;
            /** @description How many living sticky sessions. */
            sessions: number;
            /** @description How many, spent ones included. */
            faults: number;
            clock: components["schemas"]["Clock"];
        };
        /** @description A scenario; `scenario.schema.json` describes it in full. */
        Scenario: {
            /** @description One line on what it shows. */
            description: string;
            /** @description The scenario that this one is a merge patch on. */
            extends?: string;
            /** @description Fixtures that are merged first. */
            fixtures?: string[];
            /** @description Of everything that is made up. */
            seed?: number;
            /** @description An ISO 8601 instant (frozen there), or `{now, frozen}`; real time where it is left out. */
            clock?: unknown;
            /** @description The accounts by login. */
            accounts?: {
                [key: string]: components["schemas"]["World"];
            };
        };
        /** @description An account's world, in the form that accounts have in scenarios. */
        World: {
            /** @description The password of the login. */
            password?: string;
            /** @description API tokens, each accepted in the password's place. */
            tokens?: string[];
            /** @description USD, at most two decimals. */
            credit?: number;
            /** @description Of everything that is made up. */
            seed?: number;
            /** @description An ISO 8601 instant (frozen there), or `{now, frozen}`. */
            clock?: unknown;
            /** @description Clients by id. */
            clients?: {
                [key: string]: unknown;
            };
            /** @description Products by id. */
            products?: {
                [key: string]: unknown;
            };
            /** @description Services by id. */
            services?: {
                [key: string]: unknown;
            };
            /** @description Invoices by id. */
            invoices?: {
                [key: string]: unknown;
            };
            limits?: {
                /** @description Seconds between two updates of an IP list. */
                updateListInterval?: number;
            };
            /** @description Readings of what the documentation leaves open. */
            assumptions?: unknown;
            /** @description All faults, in their order. */
            faults?: components["schemas"]["Fault"][];
            /** @description The next id of each kind. */
            next?: unknown;
        };
        Fault: {
            /** @description The next free one where it is left out. */
            id?: number;
            /** @description An operationId, or `*` for all. */
            operation: string;
            match?: components["schemas"]["FaultMatch"];
            /**
             * @description Whether the operation does not happen (`before`), or happens and then its answer is lost or replaced. `before` where it is left out.
             * @enum {string}
             */
            phase?: "before" | "after";
            respond?: components["schemas"]["FaultResponse"];
            /** @description Milliseconds of real time. */
            delay?: number;
            /**
             * @description How the connection ends: reset, closed without an answer, or closed amid the answer.
             * @enum {string}
             */
            drop?: "reset" | "empty" | "truncate";
            /** @description So many matching requests pass first. */
            after?: number;
            /** @description So many times, then it is spent; for ever where it is left out. */
            times?: number;
            /** @description Of each matching request, drawn by the account's seed. */
            probability?: number;
            /** @description Matching requests that came by. */
            seen?: number;
            /** @description Times it struck. */
            used?: number;
        };
        /** @description Only requests that have all of this. */
        FaultMatch: {
            /** @description Path parameters. */
            path?: {
                [key: string]: string | number;
            };
            /** @description What the body contains. */
            body?: unknown;
        };
        /** @description A case of the operation by its name, or an answer: `{status, body?, headers?}`. */
        FaultResponse: string | {
            /** @description The status. */
            status: number;
            /** @description A text as it is, anything else as JSON. */
            body?: unknown;
            /** @description More headers. */
            headers?: {
                [key: string]: string;
            };
        };
        /** @description A fault with its counters. */
        ArmedFault: {
            /** @description Its id. */
            id: number;
            /** @description An operationId, or `*`. */
            operation: string;
            match?: components["schemas"]["FaultMatch"];
            /**
             * @description When it strikes.
             * @enum {string}
             */
            phase: "before" | "after";
            respond?: components["schemas"]["FaultResponse"];
            /** @description Milliseconds of real time. */
            delay?: number;
            /**
             * @description How the connection ends.
             * @enum {string}
             */
            drop?: "reset" | "empty" | "truncate";
            /** @description So many matching requests pass first. */
            after?: number;
            /** @description So many times, then it is spent. */
            times?: number;
            /** @description Of each matching request. */
            probability?: number;
            /** @description Matching requests that came by. */
            seen: number;
            /** @description Times it struck. */
            used: number;
            /** @description Whether it has struck as often as it was told to. */
            spent: boolean;
        };
        /** @description What was asked and answered. No credential is in it. */
        Entry: {
            /** @description Ids go on over resets. */
            id: number;
            /**
             * Format: date-time
             * @description By the account's clock.
             */
            time: string;
            /** @description The login; null where it is not known. */
            account: string | null;
            /** @description The version of its world that the request met: the changes made since its load, 0 after a load. null without an account. */
            version: number | null;
            /** @description The operationId; null for a path or method that the contract does not have. */
            operation: string | null;
            /** @description The method. */
            method: string;
            /** @description With the query, as it came. */
            path: string;
            /** @description null where the connection was dropped unanswered. */
            status: number | null;
            /** @description The case that was answered; null on success. */
            case: string | null;
            /** @description Why it was refused. */
            reason: string | null;
            /** @description Whether a fault made the answer. */
            forced: boolean;
            /** @description Milliseconds of real time. */
            durationMs: number;
            request: components["schemas"]["Message"];
            response: components["schemas"]["Message"];
            /** @description The merge patch that the request made on the world; null where it made none. */
            change: unknown;
            /** @description What broke the contract, in the request or in the answer. */
            violations: string[];
        };
        Message: {
            /** @description By their names in small letters. */
            headers: {
                [key: string]: string;
            };
            /** @description JSON as such, else the text; null where there was none. */
            body: unknown;
        };
        Coverage: {
            /** @description Answers that were given at least once. */
            covered: number;
            /** @description Answers that can be given. */
            total: number;
            /** @description 0 to 100, one decimal; 100 only where nothing is missing. */
            percent: number;
            /** @description The errors of authentication, each counted once, whichever operation gave it. */
            authentication: components["schemas"]["CoveredResponse"][];
            /** @description All other answers of each operation. */
            operations: {
                /** @description The operationId. */
                operation: string;
                /** @description The method. */
                method: string;
                /** @description The path of the contract. */
                path: string;
                responses: components["schemas"]["CoveredResponse"][];
            }[];
        };
        CoveredResponse: {
            /** @description The status. */
            status: number;
            /** @description The case; null for success. */
            case: string | null;
            /** @description How often it was given. */
            hits: number;
        };
        Finding: {
            /**
             * @description What it is.
             * @enum {string}
             */
            finding: "duplicate-order" | "throttle-ignored" | "unsafe-get" | "password-not-encoded" | "header-missing";
            /** @description Whose requests. */
            account: string | null;
            /** @description Of which operation. */
            operation: string | null;
            /** @description What the client does, why it hurts and what to do instead. */
            message: string;
            /** @description The requests that show it, the oldest first. */
            requests: {
                /** @description The entry's id. */
                id: number;
                /**
                 * Format: date-time
                 * @description By the account's clock.
                 */
                time: string;
                /** @description The method. */
                method: string;
                /** @description The path. */
                path: string;
                /** @description The status. */
                status: number | null;
            }[];
        };
        Assumption: {
            /** @description Its name in `assumptions`. */
            id: string;
            /** @description What the documentation leaves open. */
            gap: string;
            /** @description The operations that it touches. */
            operations: string[];
            /** @description Where the documentation leaves it open. */
            document: string;
            /** @description The reading that holds if nothing else is said. */
            default: string | number;
            /** @description Other readings. */
            alternatives: (string | number)[];
            /** @description What each reading means. */
            meaning: {
                [key: string]: string;
            };
            /** @description The reading that holds in the picked account. */
            current?: string | number;
        };
        Snapshot: {
            /** @description Its id. */
            id: string;
            /**
             * Format: date-time
             * @description When it was taken, in real time.
             */
            time: string;
            /** @description The scenario that a reset loads again. */
            scenario: string;
        };
    };
    responses: {
        /** @description Everything is as the scenario says. */
        Loaded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "scenario": "low-funds",
                 *       "accounts": [
                 *         "reseller"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description The scenario's name. */
                    scenario: string;
                    /** @description The logins. */
                    accounts: string[];
                };
            };
        };
        /** @description The world. */
        World: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["World"];
            };
        };
        /** @description What the clock shows. */
        Clock: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "now": "2026-01-15T13:00:00.000Z",
                 *       "frozen": true
                 *     }
                 */
                "application/json": components["schemas"]["Clock"];
            };
        };
        /** @description It is done. */
        Done: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The input is wrong; nothing has changed. */
        Wrong: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The fault is wrong. respond: getCredit has no case \"ip-already-bound\" (allowed: …)",
                 *       "details": [
                 *         {
                 *           "path": "respond",
                 *           "message": "getCredit has no case \"ip-already-bound\" (allowed: …)"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["WrongInput"];
            };
        };
        /** @description There is nothing of that name; the message says what there is. */
        Unknown: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "There is no account \"nobody\". There are: reseller."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The name is taken. */
        Taken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "There is an account \"reseller\" already."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The kept history does not reach back that far; the message names the oldest request that it reaches. */
        OutOfReach: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The history of \"reseller\" does not reach back to request 3; the oldest request that it reaches is 12."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many ask for the same thing at a time. */
        TooMany: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "100 readers follow the events already; end one of them first."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The state's file could not be written; nothing has changed. */
        NotWritten: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The change could not be written to data/db.json (ENOSPC: no space left on device); nothing was changed."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description The account's login. It may be left out where there is only one.
         * @example reseller
         */
        Account: string;
        /**
         * @description The account's login.
         * @example reseller
         */
        Login: string;
        /**
         * @description The id of a request in the journal.
         * @example 17
         */
        RequestId: string;
        /**
         * @description An operationId of the contract.
         * @example orderService
         */
        FilterOperation: string;
        /**
         * @description A status, or a class of them.
         * @example 4xx
         */
        FilterStatus: string;
        /**
         * @description A case of the contract.
         * @example insufficient-funds
         */
        FilterCase: string;
        /**
         * @description A login; all accounts where it is left out.
         * @example reseller
         */
        FilterAccount: string;
        /**
         * @description The newest so many.
         * @example 10
         */
        Limit: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "0.1.0",
                     *       "scenario": "default"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Always `ok`.
                         * @enum {string}
                         */
                        status: "ok";
                        /** @description The version of the program. */
                        version: string;
                        /** @description The scenario that a reset loads again. */
                        scenario: string;
                        /** @description What is not as it should be with a shared store, although requests are answered. */
                        warnings?: string[];
                    };
                };
            };
            400: components["responses"]["Wrong"];
            /** @description It stops, or its store is away. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The simulator is stopping."
                     *     }
                     */
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics, in Prometheus' text format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
        };
    };
    getAdminDescription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/yaml": string;
                };
            };
            400: components["responses"]["Wrong"];
        };
    };
    listAssumptions: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The assumptions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Assumption"][];
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
        };
    };
    listScenarios: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scenarios, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "low-funds",
                     *         "description": "Credit below every price; an order fails for want of funds."
                     *       }
                     *     ]
                     */
                    "application/json": {
                        /** @description Its name. */
                        name: string;
                        /** @description What it shows. */
                        description: string;
                    }[];
                };
            };
            400: components["responses"]["Wrong"];
        };
    };
    loadScenario: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The scenario's name.
                 * @example low-funds
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Loaded"];
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            503: components["responses"]["NotWritten"];
        };
    };
    getScenario: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scenario. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Scenario"];
                    "application/yaml": string;
                };
            };
            400: components["responses"]["Wrong"];
        };
    };
    putScenario: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The scenario. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "One client, no credit.",
                 *       "extends": "default",
                 *       "accounts": {
                 *         "reseller": {
                 *           "credit": 0
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Scenario"];
                "application/yaml": string;
                "application/x-yaml": string;
                "text/yaml": string;
            };
        };
        responses: {
            200: components["responses"]["Loaded"];
            400: components["responses"]["Wrong"];
            503: components["responses"]["NotWritten"];
        };
    };
    resetAll: {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Loaded"];
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            503: components["responses"]["NotWritten"];
        };
    };
    listAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The accounts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "login": "reseller",
                     *         "credit": 100,
                     *         "clients": 2,
                     *         "products": 4,
                     *         "services": 7,
                     *         "invoices": 8,
                     *         "sessions": 1,
                     *         "faults": 0,
                     *         "clock": {
                     *           "now": "2026-01-15T12:00:00.000Z",
                     *           "frozen": true
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AccountSummary"][];
                };
            };
            400: components["responses"]["Wrong"];
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description All fields are optional. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "scenario": "default",
                 *       "login": "test-1"
                 *     }
                 */
                "application/json": {
                    /** @description The scenario's name; the present one where it is left out. */
                    scenario?: string;
                    /** @description The login; a fresh one where it is left out. */
                    login?: string;
                };
            };
        };
        responses: {
            /** @description The account was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "login": "test-1",
                     *       "password": "secret",
                     *       "token": "tok_Zm9v",
                     *       "authorization": "Basic dGVzdC0xOnNlY3JldA=="
                     *     }
                     */
                    "application/json": {
                        /** @description The login. */
                        login: string;
                        /** @description The password. */
                        password: string;
                        /** @description An API token; it is accepted in the password's place. */
                        token: string;
                        /** @description The Authorization header: `Basic …`. */
                        authorization: string;
                    };
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            409: components["responses"]["Taken"];
            503: components["responses"]["NotWritten"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account's login.
                 * @example reseller
                 */
                login: components["parameters"]["Login"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["World"];
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account's login.
                 * @example reseller
                 */
                login: components["parameters"]["Login"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            503: components["responses"]["NotWritten"];
        };
    };
    patchAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account's login.
                 * @example reseller
                 */
                login: components["parameters"]["Login"];
            };
            cookie?: never;
        };
        /** @description The patch. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credit": 0,
                 *       "services": {
                 *         "5001": {
                 *           "status": "Suspended"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["World"];
                "application/merge-patch+json": components["schemas"]["World"];
            };
        };
        responses: {
            200: components["responses"]["World"];
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            503: components["responses"]["NotWritten"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account's login.
                 * @example reseller
                 */
                login: components["parameters"]["Login"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token was generated. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "tok_Zm9vYmFyYmF6cXV4"
                     *     }
                     */
                    "application/json": {
                        /** @description The token. */
                        token: string;
                    };
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            503: components["responses"]["NotWritten"];
        };
    };
    getClock: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Clock"];
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
        };
    };
    setClock: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Either field, or both. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "now": "2026-02-01T00:00:00Z",
                 *       "frozen": true
                 *     }
                 */
                "application/json": {
                    /** @description An ISO 8601 instant with its zone, not before the clock's present time. */
                    now?: string;
                    /** @description Whether the clock stands still. */
                    frozen?: boolean;
                };
            };
        };
        responses: {
            200: components["responses"]["Clock"];
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            503: components["responses"]["NotWritten"];
        };
    };
    advanceClock: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description By how much. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "by": "PT1H"
                 *     }
                 */
                "application/json": {
                    /** @description An ISO 8601 duration, as `PT1H`, `P1D` or `P1M`. */
                    by: string;
                };
            };
        };
        responses: {
            200: components["responses"]["Clock"];
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            503: components["responses"]["NotWritten"];
        };
    };
    listFaults: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The faults. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArmedFault"][];
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
        };
    };
    addFault: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The fault. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Fault"];
            };
        };
        responses: {
            /** @description The fault is armed. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "operation": "orderService",
                     *       "phase": "before",
                     *       "respond": "insufficient-funds",
                     *       "times": 1,
                     *       "seen": 0,
                     *       "used": 0,
                     *       "spent": false
                     *     }
                     */
                    "application/json": components["schemas"]["ArmedFault"];
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            409: components["responses"]["Taken"];
            503: components["responses"]["NotWritten"];
        };
    };
    clearFaults: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            503: components["responses"]["NotWritten"];
        };
    };
    removeFault: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. It may be left out where there is only one.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the fault.
                 * @example 1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            503: components["responses"]["NotWritten"];
        };
    };
    listRequests: {
        parameters: {
            query?: {
                /**
                 * @description An operationId of the contract.
                 * @example orderService
                 */
                operation?: components["parameters"]["FilterOperation"];
                /**
                 * @description A status, or a class of them.
                 * @example 4xx
                 */
                status?: components["parameters"]["FilterStatus"];
                /**
                 * @description A case of the contract.
                 * @example insufficient-funds
                 */
                case?: components["parameters"]["FilterCase"];
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
                /**
                 * @description The newest so many.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries that the filters let through. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many of the kept entries the filters let through, whatever `limit` says. */
                        total: number;
                        requests: components["schemas"]["Entry"][];
                        /** @description How many entries fell out of the journal, as it is bounded. */
                        dropped: number;
                    };
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
        };
    };
    clearRequests: {
        parameters: {
            query?: {
                /**
                 * @description An operationId of the contract.
                 * @example orderService
                 */
                operation?: components["parameters"]["FilterOperation"];
                /**
                 * @description A status, or a class of them.
                 * @example 4xx
                 */
                status?: components["parameters"]["FilterStatus"];
                /**
                 * @description A case of the contract.
                 * @example insufficient-funds
                 */
                case?: components["parameters"]["FilterCase"];
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
                /**
                 * @description The newest so many.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            503: components["responses"]["NotWritten"];
        };
    };
    rewindRequest: {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a request in the journal.
                 * @example 17
                 */
                id: components["parameters"]["RequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The world is as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "account": "reseller",
                     *       "version": 12
                     *     }
                     */
                    "application/json": {
                        /** @description The account's login. */
                        account: string;
                        /** @description The version that its world has now. */
                        version: number;
                    };
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            409: components["responses"]["OutOfReach"];
            503: components["responses"]["NotWritten"];
        };
    };
    reproduceRequest: {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a request in the journal.
                 * @example 17
                 */
                id: components["parameters"]["RequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scenario and the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        scenario: components["schemas"]["Scenario"];
                        /** @description The call, for a POSIX shell. */
                        curl: string;
                    };
                    "application/yaml": string;
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            409: components["responses"]["OutOfReach"];
        };
    };
    waitForRequests: {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description All fields are optional; without any, it waits for one request. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "operation": "orderService",
                 *       "status": 200,
                 *       "count": 2,
                 *       "timeout": 5000
                 *     }
                 */
                "application/json": {
                    /** @description An operationId. */
                    operation?: string;
                    /** @description A status, as 422, or a class of them, as `4xx`. */
                    status?: number | string;
                    /** @description A case of the contract. */
                    case?: string;
                    /** @description A login. */
                    account?: string;
                    /** @description How many; 1 where it is left out. */
                    count?: number;
                    /** @description How long to wait, in milliseconds; 5000 where it is left out. */
                    timeout?: number;
                };
            };
        };
        responses: {
            /** @description So many are there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many fit. */
                        total: number;
                        /** @description The newest first. */
                        requests: components["schemas"]["Entry"][];
                    };
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            /** @description The time is over. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "1 of 2 requests came within 5000 ms (operation orderService).",
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        /** @description What was waited for. */
                        error: string;
                        /** @description How many were there. */
                        total: number;
                    };
                };
            };
            503: components["responses"]["NotWritten"];
        };
    };
    getHar: {
        parameters: {
            query?: {
                /**
                 * @description An operationId of the contract.
                 * @example orderService
                 */
                operation?: components["parameters"]["FilterOperation"];
                /**
                 * @description A status, or a class of them.
                 * @example 4xx
                 */
                status?: components["parameters"]["FilterStatus"];
                /**
                 * @description A case of the contract.
                 * @example insufficient-funds
                 */
                case?: components["parameters"]["FilterCase"];
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
                /**
                 * @description The newest so many.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The HTTP archive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description See the HTTP Archive format, version 1.2. */
                        log: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream; it ends when the simulator stops. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: reset
                     *     data: {"scenario":"default"}
                     */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            429: components["responses"]["TooMany"];
        };
    };
    getCoverage: {
        parameters: {
            query?: {
                /**
                 * @description Another format than JSON.
                 * @example markdown
                 */
                format?: "json" | "markdown" | "junit";
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The coverage. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Coverage"];
                    "text/markdown": string;
                    "application/xml": string;
                };
            };
            400: components["responses"]["Wrong"];
        };
    };
    listFindings: {
        parameters: {
            query?: {
                /**
                 * @description A login; all accounts where it is left out.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The findings; an empty array where there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Finding"][];
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
        };
    };
    listSnapshots: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshots. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Snapshot"][];
                };
            };
            400: components["responses"]["Wrong"];
        };
    };
    takeSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state is kept. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "s1",
                     *       "time": "2026-01-15T12:00:00.000Z",
                     *       "scenario": "default"
                     *     }
                     */
                    "application/json": components["schemas"]["Snapshot"];
                };
            };
            400: components["responses"]["Wrong"];
            503: components["responses"]["NotWritten"];
        };
    };
    restoreSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the snapshot.
                 * @example s1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state is as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "s1",
                     *       "scenario": "default"
                     *     }
                     */
                    "application/json": {
                        /** @description The id of the snapshot. */
                        id: string;
                        /** @description The scenario that a reset loads again. */
                        scenario: string;
                    };
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            503: components["responses"]["NotWritten"];
        };
    };
}
