import { createRouteTable, Type, toRoute } from '@waymark/contract';
import { toProblemLine } from '@waymark/contract/declaring';
import { createWatchers, watch } from '@waymark/watchers';

const watchers = createWatchers([
  watch('door_guard', {
    device: 'door',
    agent: 'guard',
    input: 'Is anybody at the door?',
    ...{ every: 5, maxRunsPerHour: 720, scopes: ['door:look'] },
  }),
]);

/** With the server it is `app.agent('guard', …)`. */
const guard = toRoute(
  'POST',
  '/agents/guard',
  { kind: 'agent', answer: () => 'Nobody.' },
  {
    input: { input: Type.String(), images: Type.Optional(Type.Array(Type.Unknown())) },
    ...{ toolName: 'guard', scopes: ['door:look'] },
    facts: { startsRun: 'agent' },
  },
);
const table = createRouteTable([guard, ...watchers.routes]).freeze();
const declared = [{ name: 'door', kind: 'camera', pulled: false, maxFps: 30 }] as const;
for (const problem of watchers.check?.({ table, devices: { declared }, env: () => undefined }) ?? [])
  console.log(toProblemLine(problem));
