import { verifies } from '@waymark/contract/testing';
import { createApplication, type RunningApplication, Type } from '@waymark/server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { keys, openConsole } from './console-desk.ts';
import { launchBrowser } from './device-pages.ts';

const executablePath = inject('chromium');

// An application of its own: whoever may use the console of the reference application holds each of its scopes.
describe.skipIf(executablePath === '')('the console of operators who may not do everything', () => {
  let running: RunningApplication;
  let browser: Browser;
  beforeAll(async () => {
    const app = createApplication('desk', { port: 0, env: { ...keys, LOG_LEVEL: 'error' } });
    app
      .apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin'] })
      .post(
        '/payments',
        { input: { euros: Type.Integer() }, tool: true, approval: 'required', scopes: ['pay'] },
        ({ euros }) => ({ paid: euros }),
      );
    [running, browser] = await Promise.all([app.listen(), launchBrowser(executablePath)]);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
  });

  it('tells whoever calls a gated tool from its form without its scope what is missing', async () => {
    verifies('console.call-refused');
    const { page, context, faults } = await openConsole(browser, running.url, '#/routes/POST%20%2Fpayments');
    const form = page.getByRole('region', { name: 'Call it' });
    await form.getByLabel('euros').fill('40');
    await form.getByRole('button', { name: 'Call' }).click();
    await form.getByText(/\bpay\b.*\(403\)/).waitFor();
    await form.getByText('Sign in with a key that holds this scope.').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
