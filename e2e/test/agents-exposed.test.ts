import { verifies } from '@waymark/contract/testing';
import { type Application, createApplication } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callers } from './agents-application.ts';

/** An application with an operator, and what an anonymous caller may do. */
function desk(declare: (app: Application) => void, env: Readonly<Record<string, string>> = {}): Application {
  const variables = { LOG_LEVEL: 'silent', ANTHROPIC_API_KEY: 'never-used', ...callers, ...env };
  const app = createApplication('desk', { port: 0, env: variables });
  app.apiKey('ANN_KEY', 'ann', { scopes: ['svc:admin', 'ask'] }).rateLimit(50);
  declare(app);
  return app;
}

/** What is said of an agent when it starts, and in the security report. */
async function warningsOf(app: Application) {
  const running = await app.listen();
  onTestFinished(() => void running.close());
  const headers = { 'x-api-key': callers.ANN_KEY };
  const report = (await (await fetch(`${running.url}/_svc/security`, { headers })).json()) as {
    readonly warnings: readonly { readonly text: string }[];
  };
  const about = (lines: readonly { readonly text: string }[]): readonly string[] =>
    lines.map(({ text }) => text).filter((text) => text.includes('anybody can start'));
  return { boot: about(running.report.warnings), security: about(report.warnings) };
}

const options = { description: 'Helps.' };

describe('an agent that anonymous callers can start', () => {
  it('is warned about at boot and in the security report, whatever lets them in', async () => {
    verifies('authority.expose.anonymous-warning');
    const open = await warningsOf(desk((app) => void app.agent('open', options)));
    expect(open.boot.join()).toContain('agent "open"');
    expect(open.security).toEqual(['anybody can start agent "open"']);

    const granted = await warningsOf(
      desk((app) => app.anonymousScopes('ask').agent('open', { ...options, scopes: ['ask'] })),
    );
    expect(granted.boot.join()).toContain('agent "open"');
    expect(granted.security).toEqual(['anybody can start agent "open"']);

    expect(
      await warningsOf(desk((app) => void app.agent('closed', { ...options, scopes: ['ask'] }))),
    ).toEqual({
      boot: [],
      security: [],
    });
  });

  it('keeps an application from starting in production until it says so', async () => {
    verifies('authority.expose.public');
    const production = { NODE_ENV: 'production' };
    await expect(desk((app) => void app.agent('open', options), production).listen()).rejects.toThrow(
      'agent "open": anybody can start it',
    );
    const said = desk((app) => void app.agent('open', { ...options, public: true }), production);
    expect(said.check()).toEqual([]);
    expect((await warningsOf(said)).security).toEqual(['anybody can start agent "open"']);
    const closed = desk((app) => void app.agent('closed', { ...options, scopes: ['ask'] }), production);
    expect(closed.check()).toEqual([]);
  });
});
