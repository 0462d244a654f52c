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
         * Check whether the simulator is ready
         * @description Responds as soon as requests are accepted. 503 means that the simulator can't be used at the moment: it is stopping,
         *     can't reach its shared store, or can't save changes (the disk is full, or another program changed the state file).
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
    "/__admin/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this description
         * @description The OpenAPI document of the control plane. Its `servers` contains the origin of this request. The description of the
         *     simulated API is at `/openapi.yaml`.
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
    "/__admin/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this description as JSON
         * @description This description as JSON. The description of the simulated API is at `/openapi.json`.
         */
        get: operations["getAdminDescriptionAsJson"];
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
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the assumptions
         * @description Each gap in the API's documentation, with the default and the alternatives. An account's `assumptions`
         *     select a value (`PATCH /__admin/accounts/{login}`, or a scenario).
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
         * @description The scenarios included in the simulator, and those in the `--scenarios` folder.
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
         * @description Resets everything to that scenario. Requests still in progress change nothing in the new state.
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
         * Export the current state as a scenario
         * @description Exports all accounts, with their passwords and tokens. When loaded, the export gives the same responses: it includes
         *     clocks, the times of IP-list updates, sticky sessions, faults with their counters, and the next ids. Returns YAML if `Accept` asks for
         *     it.
         */
        get: operations["getScenario"];
        /**
         * Load a scenario from the request body
         * @description Loads a scenario of at most 8 MB and 20,000 records of each kind. An invalid scenario changes
         *     nothing; each mistake is reported with its line and column.
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
                 * @description A login. Defaults to all accounts.
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
         * Reset to the current scenario
         * @description State, journal, coverage and faults start over; accounts that were created since the start are removed. With `account`, only that account
         *     goes back to its initial state. Requests still in progress change nothing in the new state. The replaced
         *     state is kept as the snapshot `before-load`.
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
         * @description Each login with its credit, its clock and the number of records of each kind.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Create an isolated account
         * @description Creates an account with the state of the scenario's first account. Tests that each use their own account can run in
         *     parallel.
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
         * Read an account's state
         * @description Returns the state, in the format of accounts in scenarios.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        /**
         * Delete an account
         * @description Deletes the account and everything it owns. A reset brings back the accounts of the scenario.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        /**
         * Patch an account's state
         * @description Applies a JSON Merge Patch (RFC 7386) to the state: it sets the fields in the patch, and removes those that are null. The patch is checked like a
         *     scenario and applied completely or not at all; missing fields of new records are filled in. The clock never goes
         *     back, ids are never reused, and `bindedip: null` leaves the service without an address. Faults, timeline and history can be
         *     patched by id, where each entry is replaced as a whole, and null removes one; a list replaces all of them. A patch may touch up to
         *     1,000 records and entries, and have up to 16,000 values (fields and items at any depth); for more, send several patches or load
         *     a scenario.
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
         * @description The token is accepted instead of the password. Earlier tokens stay valid.
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
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
         * @description The account's current time.
         */
        get: operations["getClock"];
        /**
         * Set the clock
         * @description Sets the time, whether the clock is frozen, or how fast it runs. All changes due by then are applied before the response.
         *     A running clock moves on while the request is in transit, so an instant within the last second counts as now.
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
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
         * @description All changes that become due are applied before the response.
         */
        post: operations["advanceClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/timeline": {
        parameters: {
            query?: {
                /**
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the timeline
         * @description The account's scheduled changes, soonest first, and the changes that were skipped because they were no longer possible.
         */
        get: operations["getTimeline"];
        put?: never;
        /**
         * Add to the timeline
         * @description Adds a change that is applied once the account's clock reaches `at`, before the next request. It has one of `patch`,
         *     `add`, `activate`, `pay` and `renew`, and is repeated if it has `every` and `times`.
         */
        post: operations["addToTimeline"];
        /**
         * Remove all timeline entries
         * @description Removes the entries of the selected account.
         */
        delete: operations["clearTimeline"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/timeline/{id}": {
        parameters: {
            query?: {
                /**
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the entry.
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
         * Remove an entry from the timeline
         * @description Removes the entry with that id from the selected account.
         */
        delete: operations["removeFromTimeline"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/faults": {
        parameters: {
            query?: {
                /**
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
         * @description The faults, in the order in which they are tried. At most one triggers per request. The last 20 exhausted faults
         *     are kept.
         */
        get: operations["listFaults"];
        put?: never;
        /**
         * Add a fault
         * @description Takes effect with the account's next request.
         */
        post: operations["addFault"];
        /**
         * Remove all faults
         * @description Removes the faults of the selected account.
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
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
         * @description Removes the fault with that id from the selected account.
         */
        delete: operations["removeFault"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__admin/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the journal
         * @description Requests and responses since the last reset, newest first. `--journal` limits their number.
         */
        get: operations["listRequests"];
        put?: never;
        post?: never;
        /**
         * Clear the journal
         * @description Removes all entries, or with `account` only those of that account. The coverage is kept.
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
                 * @description A login. Defaults to all accounts.
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
         * Rewind to just before a request
         * @description Returns the account to its state just before that request, including fault counters and clock setting.
         *     Other accounts and the journal don't change. A rewind is a change like any other: it gets the next version, and
         *     can be undone by a rewind to a later request.
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
                 * @description A login. Defaults to all accounts.
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
         * @description Returns a scenario with the account's state just before that request, its clock frozen at the time of the request,
         *     and the call as a curl command. Wherever the scenario is loaded, the call gets the same status, body and case.
         *     Placeholders replace the account's password and tokens. With `Accept: application/yaml`, the response is only the
         *     scenario, with the call in its description.
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
                 * @description A login. Defaults to all accounts.
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
         * @description Responds as soon as that many matching requests have ended since the journal was cleared, even if it dropped some of
         *     them. A reset in the meantime restarts the count.
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
                 * @description A status, or a class of statuses.
                 * @example 4xx
                 */
                status?: components["parameters"]["FilterStatus"];
                /**
                 * @description A case, as in `Sim-Case`: one of the contract's, or another such as `not-found` or `forced`.
                 * @example insufficient-funds
                 */
                case?: components["parameters"]["FilterCase"];
                /**
                 * @description A login. Defaults to all accounts.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
                /**
                 * @description Maximum number of entries. The newest ones are returned.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the journal as HAR 1.2
         * @description Exports the journal, oldest first, for browsers' network panels and other viewers.
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
                 * @description A login. Defaults to all accounts.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream events
         * @description Server-sent events: `request` with a journal entry, `change` with `{account, change}`, `reset` with `{scenario}`.
         *     `change` is a merge patch. It is `{}` if the account was created or replaced, so every part of it may have
         *     changed, and null if the account was deleted. The clock in a patch is `{frozen}`, or `{offset}`, the difference to
         *     real time in milliseconds (with `{since, rate}` if its rate isn't 1). A client that cannot keep up is disconnected.
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
                 * @description A format other than JSON.
                 * @example markdown
                 */
                format?: "json" | "markdown" | "junit";
                /**
                 * @description A login. Defaults to all accounts.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report contract coverage
         * @description Reports which responses of the contract were returned since the last reset, by operation, status and case.
         *     Authentication errors count once, not once per operation. Responses that are impossible under the assumptions of
         *     every account are left out, unless they were returned anyway (by a fault, or before the assumptions changed).
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
                 * @description A login. Defaults to all accounts.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List findings about the client
         * @description Habits of the client that work here but would break in production. Each finding names the requests that show it.
         *     Findings come from the journal: entries dropped from it (`--journal`) no longer count.
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
         * @description The snapshots, oldest first. At most 50 are kept; a new one then replaces the oldest.
         */
        get: operations["listSnapshots"];
        put?: never;
        /**
         * Take a snapshot
         * @description Saves the state of all accounts, with clocks, faults and counters, but not the journal.
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
         * Restore a snapshot
         * @description The snapshot is kept, so it can be restored again. Requests still in progress change nothing in the restored state.
         *     Accounts are restored one after the other, each by a change with the next version. After a load since the snapshot, the
         *     history starts over: earlier requests stay in the journal, but can no longer be rewound or reproduced (409).
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
                /** @description The field, such as `services.5001.status`. */
                path: string;
                /** @description What is wrong with it and what is allowed. */
                message: string;
                /** @description The scenario's file. */
                file?: string;
                /** @description Line number, from 1. */
                line?: number;
                /** @description Column number, from 1. */
                column?: number;
            }[];
        };
        /** @description The clock of an account. */
        Clock: {
            /**
             * Format: date-time
             * @description The time: ISO 8601, in UTC.
             */
            now: string;
            /** @description Whether the clock is frozen. */
            frozen: boolean;
            /** @description Seconds of this clock in one real second, unless it is frozen. */
            rate: number;
            /** @description Of an advance: how many changes of the timeline happened meanwhile. */
            changes?: number;
            /** @description Of an advance: how many active services fell due and were not renewed, as renewals are off (`limits.renewal`). */
            unrenewed?: number;
        };
        /** @description A scheduled change. */
        TimelineEntry: {
            /** @description Its id. */
            id?: number;
            /**
             * Format: date-time
             * @description When it is due; either this or `after`.
             */
            at?: string;
            /** @description Delay from now, by the account's clock (ISO 8601 duration). */
            after?: string;
            /** @description A JSON Merge Patch on the account, checked like any other. */
            patch?: {
                [key: string]: unknown;
            };
            add?: components["schemas"]["Addition"];
            /** @description Id of a service, which becomes Active if it is Pending. */
            activate?: number;
            /** @description Id of an invoice, which is paid from the credit if it is open. */
            pay?: number;
            /** @description Id of a service. Its next billing cycle is paid from the credit, or it becomes Suspended. */
            renew?: number;
            /** @description Interval between occurrences (ISO 8601 duration), counted from the first one; needs `times`. */
            every?: string;
            /** @description Total number of occurrences. */
            times?: number;
            /** @description A description of the change. */
            description?: string;
        };
        /** @description Amounts to add. */
        Addition: {
            /** @description USD; a negative amount reduces the credit. */
            credit?: number;
            /** @description Usage by service id (ppr only), added to the day on which the entry is due. */
            services?: {
                [key: string]: {
                    /** @description Requests, or traffic in MB. */
                    usage: number;
                };
            };
        };
        /** @description A scheduled change, in stored form. */
        DueEntry: {
            /** @description Its id. */
            id: number;
            /**
             * Format: date-time
             * @description When it is due.
             */
            at: string;
            /** @description The merge patch. */
            patch?: {
                [key: string]: unknown;
            };
            add?: components["schemas"]["Addition"];
            /** @description The service that becomes Active. */
            activate?: number;
            /** @description The invoice that is paid. */
            pay?: number;
            /** @description The service that is renewed. */
            renew?: number;
            /** @description Interval between occurrences (ISO 8601 duration). */
            every?: string;
            /** @description Number of remaining occurrences. */
            times?: number;
            /**
             * Format: date-time
             * @description Time of the first occurrence, if it has passed.
             */
            first?: string;
            /** @description Number of past occurrences. */
            done?: number;
            /** @description A description of the change. */
            description?: string;
        };
        AccountSummary: {
            /** @description The login. */
            login: string;
            /** @description Whether the account was created with `createAccount` and isn't part of the scenario. If so, a load or a reset removes it. */
            created: boolean;
            /** @description The name that was given when the account was created. */
            label?: string;
            /** @description USD. */
            credit: number;
            /** @description Number of active sticky sessions. */
            sessions: number;
            /** @description Number of faults that can still trigger. */
            faults: number;
            clock: components["schemas"]["Clock"];
        } & components["schemas"]["RecordCounts"];
        /** @description A scenario with a description. */
        Scenario: components["schemas"]["ScenarioInput"] & {
            /** @description The purpose, in one line. */
            description: string;
            accounts: {
                [key: string]: unknown;
            };
        };
        /** @description A scenario; `scenario.schema.json` describes it in full. In a request body, it needs no description. */
        ScenarioInput: {
            /** @description The purpose, in one line. */
            description?: string;
            /** @description The scenario that this one extends, as a merge patch. */
            extends?: string;
            /** @description Fixtures to merge first. */
            fixtures?: string[];
            /** @description The seed for generated data. */
            seed?: number;
            /** @description An ISO 8601 instant, at which the clock is frozen, or `{now, frozen}`; defaults to real time. */
            clock?: unknown;
            /** @description The accounts by login. */
            accounts?: {
                [key: string]: components["schemas"]["World"];
            };
        };
        /** @description An account's state, in the form that accounts have in scenarios. */
        World: components["schemas"]["Records"] & {
            /** @description The password of the login. */
            password?: string;
            /** @description API tokens, each accepted instead of the password. */
            tokens?: string[];
            /** @description USD, with at most two decimals. */
            credit?: number;
            /** @description The seed for generated data. */
            seed?: number;
            /** @description An ISO 8601 instant, at which the clock is frozen, or `{now, frozen, rate}`. */
            clock?: unknown;
            /** @description Limits of the account, and automatic changes. */
            limits?: {
                /** @description Seconds between two updates of an IP list. */
                updateListInterval?: number;
                /** @description Seconds until a service ordered as Pending is Active. */
                activation?: number;
                /** @description Seconds until the open invoice of an order is paid. */
                payment?: number;
                /** @description Whether services are renewed on their due dates. */
                renewal?: boolean;
                /** @description Rate limit for authenticated requests; further ones get a 429. */
                requests?: {
                    /** @description Maximum number of requests in a window. */
                    count: number;
                    /** @description Seconds from the first request of a window to its end. */
                    per: number;
                    /**
                     * Format: date-time
                     * @description When the current window began.
                     */
                    since?: string;
                    /** @description Requests in the current window so far. */
                    used?: number;
                };
            };
            /** @description Scheduled changes: see GET /timeline. Responses list them, soonest first; scenarios and patches may also have them by id. */
            timeline?: unknown[] | {
                [key: string]: unknown;
            };
            /** @description The last 100 scheduled changes that were applied. Responses list them, oldest first; scenarios and patches may also have them by number. */
            history?: unknown[] | {
                [key: string]: unknown;
            };
            /** @description Interpretations of gaps in the documentation, by name. */
            assumptions?: unknown;
            /** @description The assumptions that are confirmed for the real service. */
            confirmed?: string[];
            /** @description The faults, tried in the order of their ids. Responses list them; scenarios and patches may also have them by id. */
            faults?: components["schemas"]["Fault"][] | {
                [key: string]: unknown;
            };
            /** @description The next id of each kind of record. */
            next?: unknown;
        };
        Records: {
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
        };
        RecordCounts: {
            /** @description Number of clients. */
            clients: number;
            /** @description Number of products. */
            products: number;
            /** @description Number of services. */
            services: number;
            /** @description Number of invoices. */
            invoices: number;
        };
        Fault: {
            /** @description Fault ID. */
            id?: number;
            /**
             * @description A named fault, whose effects are added. Without an operation, it applies to all.
             * @enum {string}
             */
            name?: "503" | "bad-gateway" | "too-many-requests" | "not-json" | "error-200" | "reset" | "empty" | "truncate" | "lost" | "cut" | "gateway-timeout" | "no-response" | "stale" | "slow";
            /** @description operationId, or * for every operation. */
            operation: string;
            /** @description Conditions that a request must meet to trigger the fault. */
            match?: {
                /** @description Path parameters. */
                path?: {
                    [key: string]: string | number;
                };
                /** @description Values that the body must contain; others are ignored. */
                body?: unknown;
            };
            /**
             * @description before: the operation is not executed. after: it is executed, then its response is dropped or replaced.
             * @enum {string}
             */
            phase?: "before" | "after";
            /** @description A case of the operation, or {status, body?, headers?}. */
            respond?: string | {
                /** @description HTTP status, 200 to 599. */
                status: number;
                /** @description A string is sent as text, anything else as JSON. */
                body?: unknown;
                /** @description Headers to add or replace. A list sends the header several times. */
                headers?: {
                    [key: string]: string | number | (string | number)[];
                };
            };
            /** @description Number of changes by which responses of read operations lag behind. Only changes by requests count. */
            stale?: number;
            /** @description Milliseconds of real time. */
            delay?: number;
            /**
             * @description How the connection ends: reset, closed without a response (empty), or halfway through it (truncate).
             * @enum {string}
             */
            drop?: "reset" | "empty" | "truncate";
            /** @description Number of matching requests to let through first. */
            after?: number;
            /** @description Maximum number of times it triggers. Defaults to unlimited. */
            times?: number;
            /** @description Probability of triggering, 0 to 1. Repeatable with the same seed. */
            probability?: number;
            /** @description Matching requests so far. */
            seen?: number;
            /** @description Number of times it has triggered. */
            used?: number;
        };
        /** @description A fault with its counters. */
        ActiveFault: {
            /** @description Fault ID. */
            id: number;
            /**
             * @description A named fault, whose effects are added. Without an operation, it applies to all.
             * @enum {string}
             */
            name?: "503" | "bad-gateway" | "too-many-requests" | "not-json" | "error-200" | "reset" | "empty" | "truncate" | "lost" | "cut" | "gateway-timeout" | "no-response" | "stale" | "slow";
            /** @description operationId, or * for every operation. */
            operation: string;
            /** @description Conditions that a request must meet to trigger the fault. */
            match?: {
                /** @description Path parameters. */
                path?: {
                    [key: string]: string | number;
                };
                /** @description Values that the body must contain; others are ignored. */
                body?: unknown;
            };
            /**
             * @description before: the operation is not executed. after: it is executed, then its response is dropped or replaced.
             * @enum {string}
             */
            phase: "before" | "after";
            /** @description A case of the operation, or {status, body?, headers?}. */
            respond?: string | {
                /** @description HTTP status, 200 to 599. */
                status: number;
                /** @description A string is sent as text, anything else as JSON. */
                body?: unknown;
                /** @description Headers to add or replace. A list sends the header several times. */
                headers?: {
                    [key: string]: string | number | (string | number)[];
                };
            };
            /** @description Number of changes by which responses of read operations lag behind. Only changes by requests count. */
            stale?: number;
            /** @description Milliseconds of real time. */
            delay?: number;
            /**
             * @description How the connection ends: reset, closed without a response (empty), or halfway through it (truncate).
             * @enum {string}
             */
            drop?: "reset" | "empty" | "truncate";
            /** @description Number of matching requests to let through first. */
            after?: number;
            /** @description Maximum number of times it triggers. Defaults to unlimited. */
            times?: number;
            /** @description Probability of triggering, 0 to 1. Repeatable with the same seed. */
            probability?: number;
            /** @description Matching requests so far. */
            seen: number;
            /** @description Number of times it has triggered. */
            used: number;
            /** @description Whether it has triggered for the last time. */
            exhausted: boolean;
        };
        /**
         * @description Requests that this process refused before they reached the API: for an unknown host, from a page of another site, outside
         *     `/api`, or not valid HTTP. They are not in the journal, but clearing the whole journal, a load or a reset also removes
         *     them. With a shared store, each replica counts the requests that it refused, and clears them only when it handles that
         *     call itself.
         * @example {
         *       "count": 1,
         *       "last": [
         *         {
         *           "time": "2026-01-15T12:00:00.000Z",
         *           "method": "GET",
         *           "path": "/billing/credit",
         *           "host": "127.0.0.1:4010",
         *           "status": 404,
         *           "reason": "Not Found: there is no GET /billing/credit. Paths of the API begin with /api. Did you mean /api/billing/credit?"
         *         }
         *       ]
         *     }
         */
        Refused: {
            /** @description Number of refused requests since the last reset. */
            count: number;
            /** @description The last ten refused requests, newest first. */
            last: {
                /**
                 * Format: date-time
                 * @description When it was refused, in real time.
                 */
                time: string;
                /** @description null if it could not be read. */
                method: string | null;
                /** @description With its query; null if it could not be read. */
                path: string | null;
                /** @description The Host header. */
                host: string | null;
                /** @description null if the connection was closed without a response. */
                status: number | null;
                /** @description Why it was refused. */
                reason: string;
            }[];
        };
        /** @description A request and its response, without credentials. */
        Entry: {
            /** @description Number of the request. Numbers continue across resets. */
            id: number;
            /**
             * Format: date-time
             * @description The time on the account's clock.
             */
            time: string;
            /** @description The login; null if unknown. */
            account: string | null;
            /** @description The version of the state when the request arrived: the number of changes since it was loaded. null without an account. */
            version: number | null;
            /** @description The operationId; null for a path or method that the contract does not have. */
            operation: string | null;
            /** @description The method. */
            method: string;
            /** @description The path as sent, with the query. */
            path: string;
            /** @description null if the connection was dropped without a response. */
            status: number | null;
            /** @description The case of the response; null on success. */
            case: string | null;
            /** @description Why the request was refused. */
            reason: string | null;
            /** @description Whether the response comes from a fault or the account's rate limit, not from the API. */
            forced: boolean;
            /** @description true if an override (`--override`) produced the response; otherwise absent. */
            overridden?: boolean;
            /** @description Duration in milliseconds of real time. */
            durationMs: number;
            request: components["schemas"]["Message"];
            response: components["schemas"]["Message"];
            /** @description The merge patch that the request applied to the state; null if it changed nothing. */
            change: unknown;
            /** @description The previous values at the paths of the change; null where there was none. */
            before: unknown;
            /** @description Contract violations in the request or the response. */
            violations: string[];
            /** @description true if the account was later rewound to before this request; otherwise absent. */
            rewound?: boolean;
        };
        /** @description The headers and the body. */
        Message: {
            /** @description Values by lower-case name. */
            headers: {
                [key: string]: string;
            };
            /** @description Parsed if it is JSON, otherwise text; null if there was none. */
            body: unknown;
        };
        Coverage: {
            /** @description Number of responses that were returned at least once. */
            covered: number;
            /** @description Number of responses that are possible. */
            total: number;
            /** @description The share of covered responses, 0 to 100 with one decimal; 100 only if all are covered. */
            percent: number;
            /** @description Authentication errors, each counted once, whichever operation returned it. */
            authentication: components["schemas"]["CoveredResponse"][];
            /** @description All other responses of each operation. */
            operations: {
                /** @description The operationId. */
                operation: string;
                /** @description The method. */
                method: string;
                /** @description The path in the contract, such as `/api/product/{pid}`. */
                path: string;
                /** @description The operation's responses in the contract. */
                responses: components["schemas"]["CoveredResponse"][];
            }[];
        };
        CoveredResponse: {
            /** @description The status. */
            status: number;
            /** @description The case; null on success. */
            case: string | null;
            /** @description Number of times it was returned. */
            hits: number;
        };
        Finding: {
            /** @description Name of the finding, as listed in the guide (ordered-twice, throttle-ignored…). */
            finding: string;
            /**
             * @description How much harm the habit causes. The worst findings come first.
             * @enum {string}
             */
            severity: "high" | "medium" | "low";
            /** @description The login; null if several accounts are affected. */
            account: string | null;
            /** @description Label of the account, if it has one. */
            label?: string;
            /** @description The operation; null if several are affected. */
            operation: string | null;
            /** @description What the client does, and why it causes harm. */
            message: string;
            /** @description How to fix the client. */
            advice: string;
            /** @description The requests that show it, oldest first. */
            requests: {
                /** @description The id of the request in the journal. */
                id: number;
                /**
                 * Format: date-time
                 * @description The time on the account's clock.
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
            /** @description The operations it affects. */
            operations: string[];
            /** @description What the documentation says about it, quoted. */
            document: string;
            /** @description The value for accounts that don't set one. */
            default: string | number;
            /** @description The other values. */
            alternatives: (string | number)[];
            /** @description The meaning of each value. */
            meaning: {
                [key: string]: string;
            };
            /** @description The gap as a question to ask the provider, in one sentence. */
            question: string;
            /** @description The kind of values that are accepted besides the alternatives, if any. */
            accepts?: string;
            /** @description The account's value. Absent if several accounts have different values. */
            value?: string | number;
            /** @description Whether the account lists it under `confirmed`. */
            confirmed: boolean;
            /** @description Whether an operation that it affects was called with valid credentials since the last reset. */
            used: boolean;
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
        /** @description The scenario was loaded. */
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
        /** @description The account's state. */
        World: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["World"] & {
                    password: string;
                };
            };
        };
        /** @description The clock's time. */
        Clock: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "now": "2026-01-15T13:00:00.000Z",
                 *       "frozen": true,
                 *       "rate": 1
                 *     }
                 */
                "application/json": components["schemas"]["Clock"];
            };
        };
        /** @description The call has taken effect. */
        Done: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The input is invalid. Nothing has changed. */
        Wrong: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The query is invalid. page: Unknown parameter \"page\". Available: …",
                 *       "details": [
                 *         {
                 *           "path": "page",
                 *           "message": "Unknown parameter \"page\". Available: …"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["WrongInput"];
            };
        };
        /** @description The name is unknown. The message lists the existing names. */
        Unknown: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "Unknown account \"nobody\". Available: reseller."
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
        /** @description The scenario would be larger than what a load accepts. The message names the bound. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The scenario is too large to load again. accounts.reseller.services: 20001 services. A scenario may have at most 20000. Remove records, or keep the state: POST /__admin/snapshots."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The history does not reach back that far. The message names the oldest request that can be reached. */
        OutOfReach: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The history of \"reseller\" does not reach back to request 3. The oldest request that can be rewound is 12."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The state could not be read or written. Nothing has changed, unless the message says that this is not known. */
        NotWritten: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "The change could not be written to data/db.json (ENOSPC: no space left on device). Nothing was changed. Check the disk, then try again."
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
         * @description A status, or a class of statuses.
         * @example 4xx
         */
        FilterStatus: string;
        /**
         * @description A case, as in `Sim-Case`: one of the contract's, or another such as `not-found` or `forced`.
         * @example insufficient-funds
         */
        FilterCase: string;
        /**
         * @description A login. Defaults to all accounts.
         * @example reseller
         */
        FilterAccount: string;
        /**
         * @description Maximum number of entries. The newest ones are returned.
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
            /** @description The simulator is ready. */
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
                        /** @description Problems with a shared store or the state file that don't stop requests. */
                        warnings?: string[];
                    };
                };
            };
            400: components["responses"]["Wrong"];
            /** @description The simulator is stopping, its store is unreachable, or changes can't be saved. */
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
    getAdminDescriptionAsJson: {
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
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["Wrong"];
        };
    };
    listAssumptions: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
                     *         "description": "Credit below every price; an order fails for lack of funds."
                     *       }
                     *     ]
                     */
                    "application/json": {
                        /** @description Its name. */
                        name: string;
                        /** @description The purpose of the scenario. */
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
            413: components["responses"]["TooLarge"];
        };
    };
    putScenario: {
        parameters: {
            query?: {
                /**
                 * @description Only checks whether the scenario could be loaded; nothing changes.
                 * @example true
                 */
                check?: "true";
                /**
                 * @description The scenario's name, such as that of its file, for health, snapshots and messages. "(posted)" if it is missing.
                 * @example mine
                 */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The scenario. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "extends": "default",
                 *       "accounts": {
                 *         "reseller": {
                 *           "credit": 0
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ScenarioInput"];
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
                 * @description A login. Defaults to all accounts.
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
                 *       "login": "test-1",
                 *       "label": "orders a second proxy"
                 *     }
                 */
                "application/json": {
                    /** @description The scenario's name. Defaults to the current one. */
                    scenario?: string;
                    /** @description The login. Defaults to an unused one. */
                    login?: string;
                    /** @description A name for people, such as the test's. The dashboard and reports show it. */
                    label?: string;
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
                        /** @description An API token, accepted instead of the password. */
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
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At least one of the fields. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "now": "2026-02-01T00:00:00Z",
                 *       "frozen": true
                 *     }
                 */
                "application/json": {
                    /** @description An ISO 8601 instant with its zone, not before the clock's current time. */
                    now?: string;
                    /** @description Whether the clock is frozen. */
                    frozen?: boolean;
                    /** @description Seconds of this clock in one real second: more than 0, at most 100000. */
                    rate?: number;
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
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The duration. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "by": "PT1H"
                 *     }
                 */
                "application/json": {
                    /** @description An ISO 8601 duration, such as `PT1H`, `PT1.5H`, `P1D` or `P1M`. */
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
    getTimeline: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
                /**
                 * @description Also returns the last changes that came due.
                 * @example true
                 */
                past?: "true";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The timeline. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The scheduled changes, soonest first. */
                        timeline: components["schemas"]["DueEntry"][];
                        /** @description The changes that were skipped. */
                        skipped: {
                            /** @description The id of the entry. */
                            id: number;
                            /**
                             * Format: date-time
                             * @description When it was due.
                             */
                            at: string;
                            /** @description Description of the skipped change. */
                            description?: string;
                            /** @description Why it was skipped. */
                            reason: string;
                        }[];
                        /** @description With `past=true`. The last changes that came due. */
                        past?: {
                            /** @description How many changes came due since the load. */
                            count: number;
                            /** @description The last 100 of them, oldest first. */
                            last: {
                                /** @description The id of the entry. */
                                id: number;
                                /**
                                 * Format: date-time
                                 * @description When it was due.
                                 */
                                at: string;
                                /** @description Description of the change. */
                                description?: string;
                                /** @description Why it was skipped, if it was. */
                                reason?: string;
                                /** @description Its effect on the credit, or that a renewal was not paid: `credit -20.00`. */
                                effect?: string;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
        };
    };
    addToTimeline: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The entry. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TimelineEntry"];
            };
        };
        responses: {
            /** @description The entry was added. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "at": "2026-01-15T12:10:00.000Z",
                     *       "patch": {
                     *         "services": {
                     *           "5001": {
                     *             "status": "Suspended"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DueEntry"];
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            409: components["responses"]["Taken"];
            503: components["responses"]["NotWritten"];
        };
    };
    clearTimeline: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
    removeFromTimeline: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
                 * @example reseller
                 */
                account?: components["parameters"]["Account"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the entry.
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
            409: components["responses"]["Taken"];
            503: components["responses"]["NotWritten"];
        };
    };
    listFaults: {
        parameters: {
            query?: {
                /**
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
                    "application/json": components["schemas"]["ActiveFault"][];
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
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
            /** @description The fault is active. */
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
                     *       "exhausted": false
                     *     }
                     */
                    "application/json": components["schemas"]["ActiveFault"];
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
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
                 * @description The account's login. Optional if there is one account, or for changes one besides those that were created at runtime.
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
                 * @description A status, or a class of statuses.
                 * @example 4xx
                 */
                status?: components["parameters"]["FilterStatus"];
                /**
                 * @description A case, as in `Sim-Case`: one of the contract's, or another such as `not-found` or `forced`.
                 * @example insufficient-funds
                 */
                case?: components["parameters"]["FilterCase"];
                /**
                 * @description A login. Defaults to all accounts.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
                /**
                 * @description Maximum number of entries. The newest ones are returned.
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
            /** @description The entries that match the filters. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of entries that match the filters, regardless of `limit`. */
                        total: number;
                        /** @description The newest of these entries, at most `limit`. */
                        requests: components["schemas"]["Entry"][];
                        /** @description Number of entries that have been dropped because the journal was full. */
                        dropped: number;
                        refused: components["schemas"]["Refused"];
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
                 * @description A login. Defaults to all accounts.
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
                 * @description A login. Defaults to all accounts.
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
            /** @description The state before the request was restored. */
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
                        /** @description The new version of the account's state. */
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
                 * @description A login. Defaults to all accounts.
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
            413: components["responses"]["TooLarge"];
        };
    };
    waitForRequests: {
        parameters: {
            query?: {
                /**
                 * @description A login. Defaults to all accounts.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description All fields are optional. Without any, the call waits for one request. */
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
                    /** @description A status, such as 422, or a class of statuses, such as `4xx`. */
                    status?: number | string;
                    /** @description A case, as in `Sim-Case`: one of the contract's, or another such as `not-found` or `forced`. */
                    case?: string;
                    /** @description A login. */
                    account?: string;
                    /** @description Number of requests. Defaults to 1. */
                    count?: number;
                    /** @description Timeout in milliseconds of real time. Defaults to 5000. */
                    timeout?: number;
                };
            };
        };
        responses: {
            /** @description That many requests have arrived. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of matching requests. */
                        total: number;
                        /** @description Newest first, without those that the journal dropped before. */
                        requests: components["schemas"]["Entry"][];
                    };
                };
            };
            400: components["responses"]["Wrong"];
            404: components["responses"]["Unknown"];
            /** @description The timeout has passed. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "1 of 2 requests arrived within 5000 ms (operation orderService).",
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        /** @description The requests that were expected. */
                        error: string;
                        /** @description Number of requests that had arrived. */
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
                 * @description A status, or a class of statuses.
                 * @example 4xx
                 */
                status?: components["parameters"]["FilterStatus"];
                /**
                 * @description A case, as in `Sim-Case`: one of the contract's, or another such as `not-found` or `forced`.
                 * @example insufficient-funds
                 */
                case?: components["parameters"]["FilterCase"];
                /**
                 * @description A login. Defaults to all accounts.
                 * @example reseller
                 */
                account?: components["parameters"]["FilterAccount"];
                /**
                 * @description Maximum number of entries. The newest ones are returned.
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
                 * @description A login. Defaults to all accounts.
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
            /** @description The stream. It ends when the simulator stops. */
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
        };
    };
    getCoverage: {
        parameters: {
            query?: {
                /**
                 * @description A format other than JSON.
                 * @example markdown
                 */
                format?: "json" | "markdown" | "junit";
                /**
                 * @description A login. Defaults to all accounts.
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
            404: components["responses"]["Unknown"];
        };
    };
    listFindings: {
        parameters: {
            query?: {
                /**
                 * @description A login. Defaults to all accounts.
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
            /** @description The findings. An empty array if there are none. */
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
            /** @description The snapshot was taken. */
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
            /** @description The state was restored. */
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
