import { type Route, Type, toRoute } from '@waymark/contract';
import { pathOf, type RouteParts, titleOf, toRead } from './route-parts.ts';

/** GET insights, and the tool `<name>_insights`: what watchers concluded, newest last. */
export function insightsRoute(parts: RouteParts): Route {
  const { settings, device } = parts;
  return toRoute(
    'GET',
    pathOf(parts, 'insights'),
    {
      kind: 'device',
      answer: async () => {
        const [insights, pictured] = await Promise.all([device().insights(), device().withEvidence()]);
        return {
          device: settings.name,
          insights: insights.map((one) => ({ ...one, has_frame: pictured.has(one.run_id) })),
        };
      },
    },
    {
      ...toRead(parts),
      tool: settings.tool,
      toolName: `${settings.name}_insights`,
      summary: `What watchers concluded of the ${titleOf(settings)} lately, newest last.`,
      output: insightsAnswer,
    },
  );
}

const insightsAnswer = Type.Object({
  device: Type.String(),
  insights: Type.Array(
    Type.Object({
      type: Type.Literal('insight'),
      watcher: Type.String(),
      device: Type.String(),
      agent: Type.String(),
      seq: Type.Union([Type.Integer(), Type.Null()]),
      status: Type.String(),
      output: Type.String(),
      error: Type.Union([Type.String(), Type.Null()]),
      run_id: Type.String(),
      tokens: Type.Integer(),
      cost_micros: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Millionths of a US dollar; null where a price is not known.',
      }),
      at_ms: Type.Integer(),
      has_frame: Type.Boolean({ description: 'Whether `insights/{run_id}/frame` has the picture.' }),
    }),
  ),
});
