import type { Values } from '@waymark/contract';

/**
 * Input and output types of tools by name, for an application to declare. A tool that is not named here takes any object
 * and gives `unknown`.
 *
 *     declare module '@waymark/agents' {
 *       interface ToolTypes {
 *         list_tickets: { input: { limit?: number }; output: { id: number; title: string }[] };
 *       }
 *     }
 */
export interface ToolTypes extends Readonly<Record<never, never>> {}

/** Name of a tool: any text; editors offer the names in `ToolTypes`. */
export type ToolName = keyof ToolTypes | (string & {});

/** Input type of a tool: the one in `ToolTypes`, else any object. */
export type ToolInput<N> = N extends keyof ToolTypes
  ? ToolTypes[N] extends { readonly input: infer I }
    ? I
    : Values
  : Values;

/** Output type of a tool: the one in `ToolTypes`, else `unknown`. */
export type ToolOutput<N> = N extends keyof ToolTypes
  ? ToolTypes[N] extends { readonly output: infer O }
    ? O
    : unknown
  : unknown;

/** Arguments of a tool call as a parameter list: one object, optional where the tool requires no argument. */
export type ToolArguments<N> =
  Partial<ToolInput<N>> extends ToolInput<N> ? [args?: ToolInput<N>] : [args: ToolInput<N>];
