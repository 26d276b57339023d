import type { StoreCase } from '../store-case.ts';
import { begunCallCases } from './begun-call-cases.ts';
import { keptRunCases } from './kept-run-cases.ts';
import { memoedRunCases } from './memoed-run-cases.ts';
import { runApprovalCases } from './run-approval-cases.ts';
import { runEndCases } from './run-end-cases.ts';
import { runJournalCases } from './run-journal-cases.ts';
import { runLeaseCases } from './run-lease-cases.ts';
import { runStartCases } from './run-start-cases.ts';
import type { StoresOfRuns } from './stored-runs.ts';
import { transientRunCases } from './transient-run-cases.ts';

/** What every run store does. */
export const runStoreCases: readonly StoreCase<StoresOfRuns>[] = [
  ...runStartCases,
  ...runJournalCases,
  ...begunCallCases,
  ...runLeaseCases,
  ...runApprovalCases,
  ...runEndCases,
  ...keptRunCases,
  ...transientRunCases,
  ...memoedRunCases,
];
