import type { Progress, Route, Values } from '@waymark/contract';
import type { Awaitable, Call } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import type { Exchange } from '../transport/exchange.ts';

/** What a client asks for besides. */
interface ToolUseOptions {
  readonly observe: ((progress: Progress) => void) | undefined;
  /** What it names its call. */
  readonly key: string | undefined;
}

/** A call of a tool over MCP. */
export class ToolUse implements Call {
  readonly route: Route;
  readonly input: { readonly by: 'arguments'; readonly values: Values };
  readonly principal: Principal;
  readonly via = 'mcp';
  readonly requestId: string;
  readonly clientAddress?: string;
  readonly charge?: (cost: number) => Awaitable<void>;
  readonly observe?: (progress: Progress) => void;
  readonly idempotencyKey?: string;

  constructor(route: Route, values: Values, { context }: Exchange, { observe, key }: ToolUseOptions) {
    const { principal, requestId, clientAddress, charge } = context;
    this.route = route;
    this.input = { by: 'arguments', values };
    this.principal = principal;
    this.requestId = requestId;
    if (clientAddress !== undefined) this.clientAddress = clientAddress;
    if (charge) this.charge = charge;
    if (observe) this.observe = observe;
    if (key !== undefined) this.idempotencyKey = key;
  }
}

/** One that ends when its client goes away. */
export class CancellableToolUse extends ToolUse {
  readonly #exchange: Exchange;

  constructor(route: Route, values: Values, exchange: Exchange, options: ToolUseOptions) {
    super(route, values, exchange, options);
    this.#exchange = exchange;
  }

  /** Made when it is asked for: most tools never do. */
  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}
