/** The same function, which reads each thing once: what an informer holds is never changed in place. */
export function memoize<Key extends object, Value>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const held = known.get(key) ?? { value: read(key) };
    known.set(key, held);
    return held.value;
  };
}
