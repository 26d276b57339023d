import { type Conversation, startSimulator } from '@waymark/model-simulator';
import type { Application } from '@waymark/server';
import { whereTheBallIs } from './where-the-ball-is.ts';

/** Models that are not real. */
export interface SimulatedModels {
  /** Who answers, in a sentence for the first screen. */
  readonly notice: string;
  close(): Promise<void>;
}

/**
 * Leads the aliases `default` and `fast` to models that can be asked: those of the provider whose key is set, and
 * without any key to a simulator on this machine, which ends with the application.
 */
export async function chooseModels(
  app: Application,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SimulatedModels | undefined> {
  const isSet = (name: string): boolean => (env[name] ?? '').trim() !== '';
  // What the aliases stand for by themselves.
  if (isSet('ANTHROPIC_API_KEY')) return undefined;
  if (isSet('OPENAI_API_KEY')) {
    app.models({ default: 'gpt-5', fast: 'gpt-5-mini' });
    return undefined;
  }
  return simulateModels(app);
}

async function simulateModels(app: Application): Promise<SimulatedModels> {
  const { url, close } = await startSimulator({ anonymous: true, script: standIn() });
  const notice = 'simulated, since neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set';
  const text = `models are ${notice}`;
  const fix = 'set one of them to ask a real model';
  app
    .provider('simulator', url, { kind: 'anthropic' })
    .models({ default: 'simulator/claude-opus-5', fast: 'simulator/claude-haiku-4-5' })
    .pricing('default', 0, 0)
    .pricing('fast', 0, 0)
    .add({
      name: 'simulator',
      routes: [],
      findings: () => [{ severity: 'info', text, fix }],
      stop: close,
    });
  return { notice, close };
}

/** Nobody triages without a judgement or looks out without eyes, and the stand-in has neither: it makes do with what it has. */
function standIn(): (conversation: Conversation) => string | undefined {
  let before: string | undefined;
  return ({ system, turns }) => {
    const asked = turns.at(-1);
    if (asked?.role !== 'user') return undefined;
    if (system.includes('You triage tickets')) return judge(asked.text);
    if (!system.includes('You look through a camera')) return undefined;
    const now = whereTheBallIs(Buffer.from(asked.images[0]?.data ?? '', 'base64'));
    const said = `[[say ${describe(before, now)}]]`;
    before = now;
    return said;
  };
}

/** Words decide. */
function judge(text: string): string {
  const urgent = /fire|smoke|locked|forgotten|down\b/i.test(text);
  return `[[json ${JSON.stringify({ urgent, reason: 'It was judged by a word in it.' })}]]`;
}

function describe(before: string | undefined, now: string | undefined): string {
  if (now === undefined) return 'Nothing that I know.';
  if (before === undefined) return `There is a ball ${now}.`;
  return before === now ? `The ball is still ${now}.` : `The ball was ${before}, and is ${now} now.`;
}
