SELECT 'never closed
