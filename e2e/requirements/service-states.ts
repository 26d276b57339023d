import { clauses, type Requirement } from './clause.ts';

const run = clauses('service: States, run ');
const watcher = clauses('service: States, watcher ');
const gate = clauses('service: States, ');

/** Section "States and transitions": two run rows, two watcher rows, the closing sentence. */
export const serviceStates: readonly Requirement[] = [
  ...run.built('waiting, approved', {
    'state.run.waiting-listed': 'A run that waits on a human is in the approvals listing.',
    'state.run.approved': 'Approving a waiting run makes it continue.',
    'state.run.approved-note': 'The note given with a decision travels with it.',
    'state.run.approved-unknown': 'A decision for an id that names no waiting run is refused.',
  }),
  ...run.built('waiting, declined', {
    'state.run.declined': 'Declining a waiting run keeps the gated call from happening.',
  }),
  ...watcher.built('tick, unchanged', {
    'state.watcher.unchanged': 'A tick is skipped while frame bytes and telemetry are those of the last run.',
    'state.watcher.same-bytes': 'A new frame number over the same bytes is no change.',
  }),
  ...watcher.built('tick, changed', {
    'state.watcher.changed':
      'After a change the agent runs; it is given the frame and, in its input, the telemetry.',
    'state.watcher.publishes': 'Every run of a watcher publishes an insight.',
  }),
  ...gate.built('gated tools', {
    'state.gate.no-direct-mcp':
      'There is no way at all to call a tool that needs approval directly over MCP.',
  }),
  ...gate.built('gated tools', {
    'state.gate.human-decides': 'A gated tool called by a run happens only after a human decision.',
  }),
];
