import { inlineCode, oneLine } from '../lib/plain-text.ts';
import type { ToolCategory } from '../tools/category.ts';
import type { CallFacets } from '../tools/facets.ts';

/** What a conversation has taken in. Stored with it; only a new conversation is clean again. */
export interface Labels {
  /** Content was read that strangers may have written. */
  readonly tainted: boolean;
  /** Workspace files, memory or secrets were read. */
  readonly private: boolean;
  /** Where the untrusted content came from. */
  readonly sources: readonly string[];
}

export const cleanLabels: Labels = { tainted: false, private: false, sources: [] };

/** Why this call could do harm, or leak, with what the conversation has read. Undefined: it could not. */
export function taintReason(labels: Labels, category: ToolCategory, facets: CallFacets = {}): string | undefined {
  if (!labels.tainted) return undefined;
  if (couldHarm(category, facets)) {
    return `this conversation has read content that others may have written${named(labels.sources)}`;
  }
  if (labels.private && category === 'network_read' && facets.trustedHost !== true) {
    return `a request could carry out what was read here, and this conversation has also read content that others may have written${named(labels.sources)}`;
  }
  return undefined;
}

function couldHarm(category: ToolCategory, facets: CallFacets): boolean {
  switch (category) {
    case 'shell':
    case 'filesystem_write':
    case 'network_write':
    case 'hardware':
    case 'destructive':
      return true;
    case 'messaging':
      return facets.leavesConversation !== false;
    case 'memory':
      return facets.writesMemory === true;
    case 'filesystem_read':
    case 'network_read':
      return false;
  }
}

function named(sources: readonly string[]): string {
  // A stranger may have chosen what a source is called.
  return sources.length === 0 ? '' : ` (${sources.map((source) => inlineCode(oneLine(source, 200))).join(', ')})`;
}
