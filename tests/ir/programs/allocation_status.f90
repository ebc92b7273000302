program al
  integer, allocatable :: a(:); integer, pointer :: p(:); integer :: s; character(60) :: m
  allocate (a(2)); nullify(p)
  allocate (a(3), stat=s, errmsg=m); print *, s, m
  deallocate (a, stat=s, errmsg=m); print *, s
  deallocate (a, stat=s, errmsg=m); print *, s, m
  deallocate (p, stat=s, errmsg=m); print *, s, m
end
