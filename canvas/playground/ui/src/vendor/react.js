// What projects of the template React import: react, react-dom and its client, and what JSX is compiled to, in one module.
export { default } from "react";
export {
  Activity, Children, Component, Fragment, Profiler, PureComponent, StrictMode, Suspense, cache, cloneElement, createContext, createElement, createRef,
  forwardRef, isValidElement, lazy, memo, startTransition, use, useActionState, useCallback, useContext, useDebugValue, useDeferredValue,
  useEffect, useEffectEvent, useId, useImperativeHandle, useInsertionEffect, useLayoutEffect, useMemo, useOptimistic, useReducer, useRef, useState,
  useSyncExternalStore, useTransition, version,
} from "react";
export { createPortal, flushSync, preconnect, prefetchDNS, preinit, preinitModule, preload, preloadModule, useFormStatus } from "react-dom";
export { createRoot, hydrateRoot } from "react-dom/client";
export { jsx, jsxs } from "react/jsx-runtime";
