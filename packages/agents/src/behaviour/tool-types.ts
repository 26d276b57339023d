import type { Values } from '@waymark/contract';

/**
 * What is known of tools by their names: nothing, until an application says more. A tool that is not named here takes
 * any values and gives what has to be looked at.
 *
 *     declare module '@waymark/agents' {
 *       interface ToolTypes {
 *         list_tickets: { input: { limit?: number }; output: { id: number; title: string }[] };
 *       }
 *     }
 */
export interface ToolTypes extends Readonly<Record<never, never>> {}

/** The name of a tool: editors offer the known ones. */
export type ToolName = keyof ToolTypes | (string & {});

/** What a tool takes. */
export type ToolInput<N> = N extends keyof ToolTypes
  ? ToolTypes[N] extends { readonly input: infer I }
    ? I
    : Values
  : Values;

/** What a tool gives. */
export type ToolOutput<N> = N extends keyof ToolTypes
  ? ToolTypes[N] extends { readonly output: infer O }
    ? O
    : unknown
  : unknown;

/** The arguments of a call: they may be left out where the tool needs none. */
export type ToolArguments<N> =
  Partial<ToolInput<N>> extends ToolInput<N> ? [args?: ToolInput<N>] : [args: ToolInput<N>];
