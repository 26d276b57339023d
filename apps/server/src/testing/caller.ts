import { callOverMcp } from '../cli/call/mcp-call.ts';
import type { Target } from '../cli/call/target.ts';

/** A request of a test: as `fetch` takes it, or with a value that is sent as JSON. */
export interface TestRequest extends RequestInit {
  /** Sent as the JSON body of a POST, unless `method` says otherwise. */
  readonly json?: unknown;
}

/** A tool that failed: with what it said. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

/** Somebody who calls an application: over real sockets, through everything that guards it. */
export class Caller {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Asks for a path. */
  request(path: string, { json, ...init }: TestRequest = {}): Promise<Response> {
    if (json === undefined) return this.#target.send(path, init);
    const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
    return this.#target.send(path, { method: 'POST', ...init, headers, body: JSON.stringify(json) });
  }

  /** Asks for a path, and reads the JSON of the answer, whatever its status. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects it to be is what the test says next
  async json(path: string, request?: TestRequest): Promise<any> {
    const response = await this.request(path, request);
    return response.json();
  }

  /** Calls a tool over MCP, and gives what it answers. @throws {ToolFailure} it failed, or may not be called */
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects it to be is what the test says next
  async call(tool: string, values: Readonly<Record<string, unknown>> = {}): Promise<any> {
    const outcome = await callOverMcp(this.#target, { tool, values });
    if (outcome.ok) return outcome.value;
    throw new ToolFailure(outcome.message);
  }

  /** Approves what waits for a human the longest, and gives the result of its run. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects it to be is what the test says next
  approve(note = ''): Promise<any> {
    return this.#decide(true, note);
  }

  /** Declines it. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects it to be is what the test says next
  decline(note = ''): Promise<any> {
    return this.#decide(false, note);
  }

  async #decide(approve: boolean, note: string): Promise<unknown> {
    const path = `${this.#target.controlPrefix}/approvals`;
    const listed = await this.request(path);
    const { approvals = [], detail } = (await listed.json()) as {
      readonly approvals?: readonly { readonly approval_id: string }[];
      readonly detail?: string;
    };
    const [first] = approvals;
    if (!first) throw new Error(detail ?? 'nothing waits for a human');
    return this.json(`${path}/${first.approval_id}`, { json: { approve, note } });
  }
}
