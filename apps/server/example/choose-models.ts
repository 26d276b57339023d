import { type Conversation, startSimulator } from '@waymark/model-simulator';
import type { Application } from '@waymark/server';

/** Models that are not real. */
export interface SimulatedModels {
  /** What whoever starts the application has to know. */
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
  const { url, close } = await startSimulator({ anonymous: true, script: judge });
  const text = 'models are simulated: neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set';
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
  return { notice: `\nNote: ${text}.\nA stand-in at ${url} answers, which knows nothing; ${fix}.`, close };
}

/** Nobody triages without a judgement, and the stand-in has none: words decide. */
function judge({ system, turns }: Conversation): string | undefined {
  const asked = turns.at(-1);
  if (!system.includes('You triage tickets') || asked?.role !== 'user') return undefined;
  const urgent = /fire|smoke|locked|forgotten|down\b/i.test(asked.text);
  return `[[json ${JSON.stringify({ urgent, reason: 'It was judged by a word in it.' })}]]`;
}
