import type { Fault, RuleBook } from '@waymark/contract/declaring';
import { useRules } from '../check/check-uses.ts';

/** Rules of behaviour declarations, by the `code` that a problem carries. */
export const behaviourRules = {
  ...useRules,
  'behaviour-body': 'A behaviour has a function, and it comes last.',
  'behaviour-name': 'The name of a behaviour is a letter and up to 63 letters, digits, "_" or "-" after it.',
  'behaviour-taken':
    'A behaviour is declared once, and no agent has its name; "-" and "_" make no other name.',
  'behaviour-range': 'The limits of a behaviour are numbers within their ranges.',
  'behaviour-path': 'The path of a behaviour is fixed text.',
  'behaviour-scopes': 'A behaviour has the scopes that its own tools need.',
  'behaviour-public': 'A behaviour that anybody can start says so.',
} as const satisfies RuleBook;

/** A rule of these that is broken. */
export type BehaviourFault = Fault<keyof typeof behaviourRules>;
