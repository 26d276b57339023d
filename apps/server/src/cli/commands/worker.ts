import { enlist } from '../../workers/member.ts';
import { loadApplication } from '../load/load-application.ts';
import { UsageError } from '../output/usage-error.ts';
import { command } from './command.ts';
import { serveArguments, toFlags } from './start.ts';

/** One of the processes that `waymark start` runs where there are several. */
export const worker = command(
  {
    meta: { name: 'worker', description: 'Started by waymark start' },
    args: serveArguments,
    async run({ args }) {
      if (!process.send) throw new UsageError('worker is for waymark start alone');
      // What is to be loaded is, while others still start.
      const orders = enlist();
      const application = await loadApplication(args.file);
      const member = await orders;
      return member.serve(await application.listen({ ...toFlags(args), post: member.post }));
    },
  },
  { examples: ['start'] },
);
