import type { Fault, RuleBook } from '@waymark/contract/declaring';

/** Rules of flow declarations, by the `code` that a problem carries. */
export const flowRules = {
  'flow-name': 'The name of a flow is a letter and up to 63 letters, digits, "_" or "-" after it.',
  'flow-taken': 'A flow is declared once; "-" and "_" make no other name.',
  'flow-kind': 'A flow is exactly one of pipeline, parallel and route.',
  'flow-empty': 'A flow has a step.',
  'flow-step': 'A step is the name of a tool, or a tool and its input.',
  'flow-label': 'The labels of a route are words of up to 64 characters, and differ by more than case.',
  'flow-merge': 'Answers are merged where there are several: merge belongs to parallel.',
  'flow-default': 'A default step belongs to a route.',
  'flow-classify': 'A model and a prompt to classify with belong to a route.',
  'flow-prompt': 'A prompt to classify with has the places {labels} and {input}.',
  'flow-template': 'A text of a step that begins with "$" is a template, or begins with "$$".',
  'flow-input': 'The input of a step is what its tool takes.',
  'flow-self': 'No flow contains itself.',
  'flow-scopes': 'A flow has the scopes that its steps need.',
  'flow-path': 'The path of a flow is fixed text.',
  'flow-range': 'The limits of a flow are numbers within their ranges.',
  'flow-public': 'A flow that anybody can start says so.',
  'unknown-step': 'The steps of a flow are tools that there are.',
} as const satisfies RuleBook;

/** A rule of these that is broken. */
export type FlowFault = Fault<keyof typeof flowRules>;

/** A broken rule in one line. */
export function fault(code: FlowFault['code'], rule: string, fix: string): FlowFault {
  return { code, rule, fix };
}
