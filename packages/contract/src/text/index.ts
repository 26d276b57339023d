export { unkeptNumber, withoutSpace } from '../http/unkept-number.ts';
export { isRightToLeft, toVisible, toVisibleParts, type VisiblePart } from './visible-text.ts';
