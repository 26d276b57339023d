import type { LimitInForce } from '@waymark/contract/declaring';
import { maxImagesBytes } from './agent/agent-input.ts';
import { maxConcurrency } from './behaviour-run/ask-many.ts';
import { maxExecuted } from './behaviour-run/gather.ts';
import { maxUncounted } from './behaviour-run/step-guard.ts';
import { maxImageBytes, maxImages } from './run/image-part.ts';
import { maxFollowedRuns, maxRefusals, maxWaitingTurns } from './socket/agent-socket.ts';

/** Limits of all agents and behaviours, for the security report; the others are each declaration's own. */
export const agentLimits: readonly LimitInForce[] = [
  { name: 'images', value: maxImages, unit: 'images', note: 'one turn of an agent' },
  { name: 'image', value: maxImageBytes, unit: 'bytes', note: 'each' },
  { name: 'image_bytes', value: maxImagesBytes, unit: 'bytes', note: 'one turn of an agent' },
  { name: 'waiting_turns', value: maxWaitingTurns, unit: 'turns', note: 'in line on one socket of an agent' },
  {
    name: 'followed_runs',
    value: maxFollowedRuns,
    unit: 'runs',
    note: 'one socket, behind the turn under way',
  },
  {
    name: 'refused_messages',
    value: maxRefusals,
    unit: 'messages',
    note: 'in a row; then the socket is closed',
  },
  {
    name: 'uncounted_steps',
    value: maxUncounted,
    unit: 'steps',
    note: 'values, messages and contexts of one run of a behaviour',
  },
  { name: 'calls_at_once', value: maxExecuted, unit: 'calls', note: 'one gather of a behaviour' },
  { name: 'questions_at_once', value: maxConcurrency, unit: 'questions', note: 'one askMany of a behaviour' },
];
