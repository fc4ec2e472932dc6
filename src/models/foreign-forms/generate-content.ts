import { isJsonObject } from '../../lib/json.ts';
import type { Dialect } from './dialect.ts';
import {
  count,
  faultIn,
  fields,
  jsonObject,
  label,
  list,
  loosely,
  type Mend,
  mendFields,
  nothing,
  text,
} from './mends.ts';

/** The protocol of Gemini's `generateContent`: a chunk of a stream is an answer like a whole one. */
export function generateContent(): Dialect {
  let hasEnded = false;
  return {
    read(value, name) {
      const fault = faultIn(value, name);
      if (fault !== undefined) return { chunks: [], fault };
      if (!('candidates' in value || 'usageMetadata' in value || 'promptFeedback' in value)) return undefined;
      const { error: _none, ...chunk } = mendFields(value, chunkMends);
      const first = Array.isArray(chunk.candidates) ? chunk.candidates[0] : undefined;
      const isEnd = isJsonObject(first) && typeof first.finishReason === 'string';
      hasEnded ||= isEnd;
      return { chunks: [chunk], isEnd };
    },
    // Nothing but the reason tells that it is complete. Without candidates, the prompt was refused.
    close: () => (hasEnded ? [] : undefined),
  };
}

const part: Mend = (value, path) => {
  if (typeof value === 'string') return { text: value };
  if (!isJsonObject(value)) return undefined;
  return mendFields(value, { functionCall, text, thoughtSignature: label }, path);
};

const functionCall = fields({ id: label, name: text, args: jsonObject });

const content: Mend = (value, path) => {
  if (typeof value === 'string') return { parts: [{ text: value }] };
  const mended = fields({ parts: list(part) })(value, path);
  return isJsonObject(mended) && mended.parts !== undefined ? mended : undefined;
};

const candidate = fields({
  content,
  finishReason: label,
  safetyRatings: nothing,
  groundingMetadata: nothing,
  urlContextMetadata: nothing,
} satisfies Record<string, Mend>);

const chunkMends: Readonly<Record<string, Mend>> = {
  responseId: label,
  candidates: list(candidate),
  usageMetadata: loosely(
    fields({
      promptTokenCount: count,
      candidatesTokenCount: count,
      totalTokenCount: count,
      thoughtsTokenCount: count,
      cachedContentTokenCount: count,
    }),
  ),
  promptFeedback: loosely(fields({ blockReason: label, safetyRatings: nothing })),
};
