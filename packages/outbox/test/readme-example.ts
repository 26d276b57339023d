import { createRouteTable } from '@waymark/contract';
import { toProblemLine } from '@waymark/contract/declaring';
import { createOutbox, notify } from '@waymark/outbox';

const outbox = createOutbox([
  notify('https://desk.example.com/hook', {
    events: ['approval_requested', 'run_finished'],
    secretEnv: 'DESK_HOOK_SECRET',
  }),
]);
const env = (): string => `whsec_${btoa('a secret of 24 to 64 bytes')}`;
const table = createRouteTable(outbox.routes).freeze();
for (const problem of outbox.check?.({ table, env }) ?? []) console.log(toProblemLine(problem));
