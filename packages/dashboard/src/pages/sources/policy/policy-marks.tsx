/** What the fields of a write policy have in common: their properties, and what is wrong or doubtful in the document. */
import { createContext } from 'react';
import { Notice } from '../../../parts/page.tsx';
import type { Mark, SchemaNode } from './policy-document.ts';

export interface FieldProps {
  schema: SchemaNode;
  /** Such as `events.0.when`. */
  path: string;
  label: string;
  value: unknown;
  /** Gets undefined for a value that is not set. */
  onChange: (value: unknown) => void;
  isRequired: boolean;
}

export const MarksContext = createContext<readonly Mark[]>([]);

/** @param path of the field; a mark of a place within it says which */
export function Marks({ marks, path }: { marks: readonly Mark[]; path: string }) {
  return marks.map((mark) => (
    <Notice key={`${mark.path} ${mark.text}`} tone={mark.tone}>
      {mark.path === path ? mark.text : `${mark.path.slice(path === '' ? 0 : path.length + 1)}: ${mark.text}`}
    </Notice>
  ));
}

export function problemsIn(marks: readonly Mark[]): string | null {
  return marks.length === 0 ? null : marks.map(({ text }) => text).join('; ');
}
