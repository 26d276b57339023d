import type { RouteResponse } from '@waymark/contract/engine';

/** The id of the approval that a run waits for. @throws {Error} when it waits for none */
export function approvalOf({ status, body }: RouteResponse): string {
  const text = body.kind === 'json' ? body.text : '{}';
  const { pending_approvals: [one] = [] } = JSON.parse(text) as {
    readonly pending_approvals?: readonly { readonly approval_id: string }[];
  };
  if (status !== 202 || !one) throw new Error(`the run does not wait: ${status} ${text}`);
  return one.approval_id;
}
