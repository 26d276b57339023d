import { openTarget } from '../call/target.ts';
import { loadEnvironment } from '../load/load-application.ts';
import { findTourKey } from '../tour/find-tour-key.ts';
import { formatTour, tourOf } from '../tour/tour-of.ts';
import { command, jsonOption } from './command.ts';

/** `waymark tour`: commands to try with a running server. */
export const tour = command(
  {
    meta: { name: 'tour', description: 'Show commands to try with a running server' },
    args: {
      as: {
        type: 'string',
        description: 'Whose key the lines use; the first of .waymark/dev.env that may see everything',
        valueHint: 'operator',
      },
      url: { type: 'string', description: 'Where the server is', valueHint: 'http://127.0.0.1:8000' },
      'control-prefix': {
        type: 'string',
        description: 'Of the server',
        default: '/_svc',
        valueHint: '/_svc',
      },
      ...jsonOption,
    },
    async run({ args }) {
      loadEnvironment(undefined);
      const target = await openTarget({ url: args.url, controlPrefix: args['control-prefix'], headers: {} });
      const found = await tourOf(target, await findTourKey(target, undefined, args.as));
      console.log(args.json ? JSON.stringify(found, null, 2) : formatTour(found));
    },
  },
  { examples: ['tour', 'tour --as operator --url https://desk.example.com'] },
);
