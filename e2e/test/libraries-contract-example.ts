import { createRouteTable, defineRoute, toTool } from '@waymark/contract';
import { type } from 'arktype';
import { z } from 'zod';

const options = {
  input: { city: z.string().min(2), days: type('1 <= number.integer <= 7') },
  output: z.object({ sky: z.enum(['clear', 'grey']) }),
  tool: true,
  summary: 'Weather of a city.',
};
const route = defineRoute('GET', '/weather/{city}', options, ({ days }) => ({
  sky: days > 3 ? 'grey' : 'clear',
}));
createRouteTable([route]).freeze();

export const tool = toTool(route);
