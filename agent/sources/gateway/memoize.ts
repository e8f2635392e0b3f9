/**
 * Caches the results of a function by its argument. That is safe for objects of an informer, which are never changed in
 * place.
 */
export function memoize<Key extends object, Value>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const held = known.get(key) ?? { value: read(key) };
    known.set(key, held);
    return held.value;
  };
}
