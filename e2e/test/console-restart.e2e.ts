import { verifies } from '@waymark/contract/testing';
import { describe, expect, inject } from 'vitest';
import { journeysOf } from './console-journey.ts';

const executablePath = inject('chromium');

/** Promised are 3 seconds; a busy machine has three times as long. */
const backWithinMs = 9_000;

describe.skipIf(executablePath === '')('the console of operators, over the death of its service', () => {
  const journey = journeysOf(executablePath);

  journey(
    'says that nobody answers, comes back by itself, and shows how the run went on',
    async ({ page, desk, go }) => {
      verifies('console.restart');
      const { run_id: run } = await desk.post('/flows/refund', { customer: 1, euros: 11 });
      const id = String(run);
      await go(`#/runs/${id}`);
      await page.getByRole('button', { name: /waits for approval/ }).waitFor();
      const restarted = desk.restart();
      await page.getByText('The service does not answer.').waitFor();
      await restarted;
      const upAtMs = performance.now();
      await page.getByText('The service does not answer.').waitFor({ state: 'detached' });
      expect(performance.now() - upAtMs).toBeLessThan(backWithinMs);
      // Still signed in, and still there.
      await page.getByRole('link', { name: 'Decide' }).click();
      const approve = page.getByRole('button', { name: 'Approve a', exact: true });
      await expect.poll(() => approve.isEnabled()).toBe(true);
      await approve.click();
      await page.getByText(/^Approved refund_customer/).waitFor();
      await go(`#/runs/${id}`);
      await page.locator('header .badge', { hasText: 'completed' }).waitFor();
    },
  );
});
