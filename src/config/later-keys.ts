import type { KeyPath } from './placed-fault.ts';

/** Keys that documents speak of and this version does not have yet; a star stands for any name. */
const laterKeys = ['channels.web'];

/** Whether an unknown key is one that only a later version knows. */
export function laterKey(path: KeyPath): boolean {
  return laterKeys.some((pattern) => {
    const parts = pattern.split('.');
    return parts.length === path.length && parts.every((part, index) => part === '*' || part === path[index]);
  });
}
