export { toEventId } from './event-id.ts';
export {
  BudgetExhausted,
  type Decision,
  type GateRequest,
  isWaiting,
  type MemoedRun,
  type MemoFilter,
  type OpResult,
  type OpSpec,
  type Resumption,
  type RunEnd,
  RunFailed,
  type Runner,
  type RunOutcome,
  type RunReport,
  type RunScope,
  type RunSpec,
  type RunStep,
  type RunUsage,
  type RunWaiting,
  type SessionAppend,
  type SessionTurn,
  type Step,
  type WrittenPiece,
} from './run.ts';
export { answerInside, relay, runAnswerRoute, runFacts, toRunPath } from './run-answer.ts';
export {
  runStepSchema,
  runUsageSchema,
  runWaitSchema,
  toWireUsage,
  toWireWait,
  toWireWaiting,
  waitingSchemas,
  waitingStatusSchema,
} from './run-envelope.ts';
export type { RunStatus, WaitingStatus } from './run-status.ts';
