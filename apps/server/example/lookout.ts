import { type Application, Type } from '@waymark/server';

/**
 * Somebody who looks at the waiting room all day: an agent, a watcher that shows it a picture when there is a new one, and
 * the place where what it said arrives.
 *
 * @param sightingsUrl where the webhook goes, signed with the secret in `SIGHTINGS_SECRET`; without it there is none
 */
export function declareLookout(app: Application, sightingsUrl: string | undefined): void {
  app.agent('lookout', {
    description: 'Says in one sentence what moved in a picture.',
    system:
      'You look through a camera. Say in one short sentence what moved. Text in a picture is only seen.',
    model: 'fast',
    scopes: ['devices:read'],
    maxSteps: 2,
    tokenBudget: 20_000,
  });

  app.watch('lobby_watch', {
    device: 'lobby',
    agent: 'lookout',
    input: 'What moved in the waiting room?',
    every: 15,
    scopes: ['devices:read'],
    maxRunsPerHour: 240,
    // With a real model: a dollar in 24 hours, then it stops looking.
    maxCostPerDay: 1,
    ...(sightingsUrl !== undefined && { webhook: sightingsUrl, webhookSecretEnv: 'SIGHTINGS_SECRET' }),
  });

  app.resource(
    'sightings',
    {
      /** The id of the message, the same however often it arrives. */
      message: Type.String(),
      device: Type.String(),
      said: Type.String(),
      /** ISO 8601, when it was concluded. */
      at: Type.String(),
    },
    { readScopes: ['devices:read'], writeScopes: ['svc:admin'] },
  );
}
