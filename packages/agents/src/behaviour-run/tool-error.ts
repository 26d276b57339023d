import { HTTPError, type Json, type ToolResult } from '@waymark/contract';

/** A call that came to nothing, as the tool or the human before it put it. */
export class ToolError extends HTTPError {
  /** The tool, or the context. */
  readonly tool: string;
  /** `declined`, `expired`, `outcome_unknown`, `tool_refused`, or a word of the tool's own. */
  readonly code: string | undefined;
  /** Declined or expired: what the human wrote, or that nobody approved. */
  readonly note: string | undefined;

  constructor(tool: string, { status, message, code }: Extract<ToolResult, { readonly ok: false }>) {
    super(status, message, code === undefined ? {} : { code });
    this.tool = tool;
    this.code = code;
    this.note = code === 'declined' || code === 'expired' ? message : undefined;
  }

  /** What stands for it in an answer or an argument: the message, which `Error` leaves out, and none of its insides. */
  toJSON(): { readonly [member: string]: Json } {
    const { message: error, status, code, tool } = this;
    return { error, status, ...(code !== undefined && { code }), tool };
  }
}
