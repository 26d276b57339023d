import { HTTPError, type Json, type ToolResult } from '@waymark/contract';

/**
 * Failure of a call in a behaviour: the answer of the tool, or of the human who declined it. Thrown by
 * `BehaviourContext`.
 */
export class ToolError extends HTTPError {
  /** Name of the tool or context that was called. */
  readonly tool: string;
  /**
   * Reason as one word: `declined`, `expired`, `outcome_unknown`, `tool_refused`, the status of a run, or the tool's
   * own.
   */
  readonly code: string | undefined;
  /** Note of the human for `declined`, or that nobody approved for `expired`; undefined for other failures. */
  readonly note: string | undefined;

  constructor(tool: string, { status, message, code }: Extract<ToolResult, { readonly ok: false }>) {
    super(status, message, code === undefined ? {} : { code });
    this.tool = tool;
    this.code = code;
    this.note = code === 'declined' || code === 'expired' ? message : undefined;
  }

  /** JSON form `{ error, status, code?, tool }`: with the message, which `Error` leaves out, and without the cause. */
  toJSON(): { readonly [member: string]: Json } {
    const { message: error, status, code, tool } = this;
    return { error, status, ...(code !== undefined && { code }), tool };
  }
}
