export { type ControlPlaneOptions, controlPlane } from './control-plane.ts';
export { type ControlRuleOptions, controlRule } from './control-rule.ts';
