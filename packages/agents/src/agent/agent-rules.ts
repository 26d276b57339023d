import type { Fault, RuleBook } from '@waymark/contract/declaring';
import { useRules } from '../check/check-uses.ts';

/** Rules of agent declarations, by the `code` that a problem carries. */
export const agentRules = {
  ...useRules,
  'agent-name': 'The name of an agent is a letter and up to 51 letters, digits, "_" or "-" after it.',
  'agent-taken': 'An agent is declared once; "-" and "_" make no other name.',
  'agent-range': 'The limits of an agent are numbers within their ranges.',
  'agent-path': 'The path of an agent is fixed text.',
  'agent-scopes': 'An agent has the scopes that its own tools need.',
  'agent-public': 'An agent that anybody can start says so.',
  'unknown-agent': 'An agent hands over to agents that there are.',
  'unknown-memory': 'The memory of an agent is one that there is.',
  'handoff-self': 'An agent hands over to others, not to itself.',
  'handoff-name': 'No tool of an agent is called as a handoff is: "transfer_to_…".',
  'handoff-scopes': 'An agent has the scopes that those need to whom it hands over.',
} as const satisfies RuleBook;

/** A rule of these that is broken. */
export type AgentFault = Fault<keyof typeof agentRules>;

/** A broken rule in one line. */
export function fault(code: AgentFault['code'], rule: string, fix: string): AgentFault {
  return { code, rule, fix };
}
