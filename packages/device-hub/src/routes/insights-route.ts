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
      answer: async () => ({ device: settings.name, insights: await device().insights() }),
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
      at_ms: Type.Integer(),
    }),
  ),
});
