/** An application for `waymark start` whose run leaves a failure behind each time it is executed, if it is told to. */
import { createApplication } from '@waymark/server';

const { DATABASE: file = '', STRAY } = process.env;

export const application = createApplication('loop-desk', {
  ...{ database: `sqlite://${file}`, shutdownTimeout: 2 },
})
  .apiKey('DESK_KEY', 'desk', { scopes: ['use', 'svc:admin'] })
  // It only reads: whoever takes the run up calls it again.
  .get('/hang', { tool: true, toolName: 'hang', scopes: ['use'] }, () => {
    if (STRAY !== undefined)
      setTimeout(() => {
        throw new Error('left behind');
      }, 5);
    return new Promise<never>(() => {});
  })
  .behaviour('errand', { tools: ['hang'], scopes: ['use'] }, (ctx) => ctx.call('hang', {}));
