export { isRightToLeft, toVisible, toVisibleParts, type VisiblePart } from './visible-text.ts';
